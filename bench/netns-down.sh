#!/bin/bash
# Removes the namespaces that netns-up.sh made, however far it came.
ip netns list 2> /dev/null | awk '{print $1}' | while read -r name; do
  case $name in tuttibench-hub | tuttibench[0-9]*) ip netns del "$name" ;; esac
done
exit 0
