#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the trace `window` is a part of: two TCP connections with reno through one bottleneck between two
# network namespaces. Recorded as root, in a folder of its own, with this script's path for $0, by
#
#	sonde record -e tcp -o all -- sh $0
#	sonde convert all -o window -e tcp.cwnd,tcp.loss --where 'lport == 1055 || lport == 1056' --until +3.2
#
# Host, kernel and boot id in its environment were replaced.
set -eu
a=window$$a b=window$$b
trap 'ip netns del $a; ip netns del $b' EXIT
ip netns add $a
ip netns add $b
ip link add veth0 netns $a type veth peer name veth1 netns $b
ip -n $a addr add 10.9.0.1/24 dev veth0
ip -n $b addr add 10.9.0.2/24 dev veth1
ip -n $a link set veth0 up
ip -n $b link set veth1 up
ip netns exec $a tc qdisc add dev veth0 root tbf rate 20mbit burst 16k limit 120k
ip netns exec $b iperf3 -s -p 5050 -1 -D
ip netns exec $b iperf3 -s -p 5051 -1 -D
sleep 0.5
ip netns exec $a iperf3 -c 10.9.0.2 -p 5051 --cport 1056 -C reno -b 1m -t 5 >/dev/null &
ip netns exec $a iperf3 -c 10.9.0.2 -p 5050 --cport 1055 -C reno -t 5 >/dev/null
wait
