"""Prints a code block of a page: block.py PAGE HEADING LANGUAGE [NUMBER], the first unless a number says."""

import re
import sys

page, heading, language = sys.argv[1:4]
number = int(sys.argv[4]) if len(sys.argv) > 4 else 1
text = open(page, encoding="utf-8").read()
section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
blocks = re.findall(rf"^```{language}\n(.*?)^```$", section[1], re.M | re.S)
print(blocks[number - 1], end="")
