#!/bin/bash
# N "nodes" on this machine: network namespaces tuttibench1..N (10.78.0.i) on one bridge in the namespace
# tuttibench-hub, each link limited to RATE both ways. Needs root.
# usage: netns-up.sh [N=4] [RATE=100mbit]
set -e
nodes=${1:-4}
rate=${2:-100mbit}
hub=tuttibench-hub
ip netns add $hub
ip -n $hub link add br0 type bridge
ip -n $hub addr add 10.78.0.254/24 dev br0
ip -n $hub link set br0 up
ip -n $hub link set lo up
for i in $(seq "$nodes"); do
  node=tuttibench$i
  ip netns add "$node"
  ip -n $hub link add "port$i" type veth peer name eth0 netns "$node"
  ip -n $hub link set "port$i" master br0 up
  ip -n "$node" addr add "10.78.0.$i/24" dev eth0
  ip -n "$node" link set eth0 up
  ip -n "$node" link set lo up
  ip netns exec "$node" tc qdisc add dev eth0 root tbf rate "$rate" burst 64kb latency 50ms
  ip netns exec $hub tc qdisc add dev "port$i" root tbf rate "$rate" burst 64kb latency 50ms
done
