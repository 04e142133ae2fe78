"""The drivers' specification tests, by pymongo's own runner, in the directory of its sources; DB_IP and DB_PORT say where bsond is.
All go by the relay of failpoints.py, which has the fail points that many of them configure.
One line for each file: "ok", or "not ok" and what failed that refused.txt does not name."""
import os
import re
import subprocess
import sys

from failpoints import Relay

FILES = os.environ.get("BSOND_SPECIFICATIONS", "crud_unified sessions_unified collection_management run_command transactions_unified gridfs_spec change_stream retryable_writes_unified retryable_reads_unified").split()

here = os.path.dirname(os.path.abspath(__file__))
refused = [line.split("  ")[0].strip() for line in open(os.path.join(here, "refused.txt")) if line.strip() and not line.startswith("#")]
status = 0
relay = Relay(0, (os.environ["DB_IP"], int(os.environ["DB_PORT"])))


def run(*tests):
    result = subprocess.run([sys.executable, "-m", "pytest", "-q", *tests, "-p", "no:cacheprovider", "--tb=line"], capture_output=True, text=True,
                            env={**os.environ, "DB_PORT": str(relay.server_address[1])})
    return result, re.findall(r"^(?:FAILED|ERROR) (test/test_\w+\.py::\S+)", result.stdout, re.M)


for name in FILES:
    result, failed = run(f"test/test_{name}.py")
    wrong = [each for each in failed if not any(pattern in each for pattern in refused)]
    count = re.search(r"^(?:(\d+) failed, )?(\d+) passed", result.stdout, re.M)
    if wrong or not count:
        status = 1
        print(f"not ok specification {name}: {', '.join(wrong) or result.stdout[-2000:] + result.stderr[-2000:]}")
    else:
        print(f"ok specification {name}: {count[2]} pass, {len(failed)} refused")
sys.exit(status)
