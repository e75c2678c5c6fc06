"""Compares the checks that failed in the folders of results with those that must fail."""

import json
import pathlib
import re
import sys

listed, *folders = sys.argv[1:]
lines = [line.split() for line in open(listed) if line.strip() and not line.startswith("#")]
expected = {(scenario, check): False for scenario, check in lines}
failed = []
passed = 0
for folder in folders:
    results = sorted(pathlib.Path(folder).glob("*/checks.json"))
    if not results:
        sys.exit(f"{folder} has no results")
    for result in results:
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", result.parent.name)
        for check in json.loads(result.read_text()):
            if check["status"] == "SUCCESS":
                passed += 1
            if check["status"] != "FAILURE":
                continue
            for key in (scenario, check["id"]), (scenario, "*"):
                if key in expected:
                    expected[key] = True
                    break
            else:
                failed.append(f"{scenario} {check['id']}: {check.get('errorMessage')}")
passing = [f"{scenario} {check}" for (scenario, check), seen in expected.items() if not seen]
print(f"{passed} checks passed, {sum(expected.values())} scenarios or checks are not offered")
for text in failed:
    print(f"failed: {text}")
for text in passing:
    print(f"listed as not offered, but it does not fail: {text}")
sys.exit(bool(failed or passing))
