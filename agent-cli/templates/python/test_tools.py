"""Run with `python -m unittest`."""

import unittest

import tools


class Orders(unittest.TestCase):
    def test_a_known_order_is_found(self):
        self.assertEqual(tools.find_order(1042), "Order 1042 was sent on Monday.")

    def test_an_unknown_order_is_an_error(self):
        with self.assertRaisesRegex(tools.ToolError, "there is no order 7"):
            tools.find_order(7)


if __name__ == "__main__":
    unittest.main()
