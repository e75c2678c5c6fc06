// Declares checks, for `node --test`.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeAll, closePages, PATIENCE } from "./harness.mjs";

/**
 * Declares a check. A check also fails on exceptions, logged errors and foreign requests of its pages. A failed check leaves
 * screenshots.
 */
export function check(title, run) {
  test(title, { timeout: 5 * PATIENCE }, async () => {
    try {
      await run();
    } catch (error) {
      const problems = await closePages(`failed-${title}`);
      if (problems.length > 0) error.message += `\nin the pages: ${problems.join("\n")}`;
      throw error;
    }
    assert.deepEqual(await closePages(), []);
  });
}

/** Throws an error with one line for each fault, if there are any. */
export function none(faults) {
  if (faults.length > 0) throw new Error(`${faults.length} faults\n${faults.join("\n")}`);
}

after(closeAll);
