"""Runs an MPI program on a fresh file and checks its last word: who served it.

run_program.py tutti|host NAME COMMAND...   {file} in COMMAND stands for the file to use
"""

import os
import subprocess
import sys
import tempfile


def main(expected, name, *command):
    who = {"tutti": "tutti", "host": "the host"}[expected]
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tutti-languages-", dir=memory) as folder:
        path = os.path.join(folder, f"{name}.dat")
        done = subprocess.run([word.replace("{file}", path) for word in command], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        left_over = os.listdir(folder)
    print(done.stdout + done.stderr, end="")
    wanted = f"{name}: ok, served by {who}"
    if done.returncode != 0:
        print(f"FAILED: exit code {done.returncode}")
    elif done.stdout.splitlines().count(wanted) != 1:
        print(f"FAILED: the output must have the line '{wanted}' once")
    elif left_over:
        print(f"FAILED: files are left: {left_over}")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
