# SPDX-License-Identifier: BSD-2-Clause
"""What must be true of what the guest left: each check is a function named after its sentence."""

import collections
import json
import re
import subprocess

STATES_CLIENT = ["SYN_SENT", "ESTABLISHED", "FIN_WAIT1", "FIN_WAIT2", "CLOSE"]
STATES_SERVER = ["ESTABLISHED", "CLOSE_WAIT", "LAST_ACK", "CLOSE"]
# Hooks that this kernel does not have, and what stands in for them there.
OTHER_HOOKS = {
    "tcp.send": "fentry/tcp_sendmsg_locked",
    "tcp.rcvbuf": "tp_btf/tcp_rcv_space_adjust",
    "fs.read": "fentry/filemap_read",
    "fs.readahead": "fentry/page_cache_sync_ra",
    "net.tcp_send": "fentry/tcp_sendmsg_locked",
    "net.ip_send": "fentry/__ip_local_out",
    "net.ip_recv": "tp_btf/netif_receive_skb",
    "net.tcp_recv": "fentry/tcp_v4_rcv",
    "net.udp_recv": "fentry/udp_rcv",
    "net.sock_recv": "fentry/sock_def_readable",
}
# Of several programs, the one that makes the records is not the first that is attached.
MAIN_HOOKS = {"cpu.sample": "perf_event/cpu-clock"}
# Hooked by fentry there, which must not be preempted.
PREEMPTIBLE_HOOKS = {"tcp.send", "fs.read", "fs.readahead", "net.tcp_send", "net.ip_send",
                     "net.tcp_recv", "net.udp_recv", "net.sock_recv"}
# ext4 is a module there, which is not loaded.
UNAVAILABLE = {"disk.tape"}
# What no program can bring about: only a driver that is short of something. And what servers tell, of which none is
# named there.
UNPROVOKED = {"disk.requeue", "rx.stats", "rx.counters", "rx.conn", "rx.call", "rx.peer", "rx.list", "rx.silent"}
# A sender's windows and a port: what no snapshot may lack.
PLAUSIBLE = {"snd_cwnd": (1, 1 << 20), "mss": (88, 65535), "rto_us": (200000, 120000000),
             "sndbuf": (2304, 1 << 30), "rcvbuf": (1152, 1 << 30)}

HITS_MAX = 5 # events of a small trace
EVENTS_PER_HIT = 1000 # of a large one: 22 of 110,381 while 24 other tasks wanted this machine's two CPUs


def run_text(*args):
    return subprocess.run(args, capture_output=True, text=True, check=True).stdout


def same(got, wanted, what):
    assert got == wanted, f"{what}: got {got!r}, wanted {wanted!r}"


class Guest:
    """What the guest left in @out; traces are read here, by the same sonde."""

    def __init__(self, sonde, out):
        self.sonde = sonde
        self.out = out
        self.read = {}

    def text(self, step, ending="out"):
        return (self.out / f"{step}.{ending}").read_text(errors="replace")

    def status(self, step):
        return int(self.text(step, "status"))

    def json(self, step):
        return json.loads(self.text(step))

    def printed(self, step):
        done = subprocess.run([self.sonde, "print", "--format", "json", self.out / step],
                              capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), done.stderr # 3: losses, which have a check of their own
        return done.stdout

    def traces(self):
        return sorted(path.parent.name for path in self.out.glob("*/metadata"))

    def events(self, step, name=None):
        if step not in self.read:
            self.read[step] = [json.loads(line) for line in self.printed(step).splitlines()]
        return [event for event in self.read[step] if name in (None, event.get("event"))]

    def connection(self, name, lport, rport):
        """Events called @name of the socket with these ports; None: any."""
        return [event for event in self.events("all", name)
                if lport in (None, event["fields"]["lport"])
                and rport in (None, event["fields"]["rport"])]


def losses(guest, step):
    """(events lost, those of them whose program was running on that CPU when an interrupt came, events). A
    stand-in takes the place of a program from its first instruction to its last; what the kernel
    does around these is short, but not on a machine that is emulated."""
    stats = json.loads(subprocess.run([guest.sonde, "stats", "--json", guest.out / step], check=False,
                                      capture_output=True, text=True).stdout)
    return stats["lost"], sum(one["recursion"] for one in stats.get("losses", [])), stats["events"]


def lost_to_interrupts_alone(lost, hit, recorded):
    return lost == hit <= max(HITS_MAX, recorded // EVENTS_PER_HIT)


def ended_well(guest, step, status):
    if guest.status(step) != 3 or status not in (0, 6) or step not in guest.traces():
        return guest.status(step) == status
    return lost_to_interrupts_alone(*losses(guest, step))


def every_step_ended_as_it_should(guest):
    statuses = {"network": 0, "list": 0, "doctor": 0, "exact": 0, "exact-stats": 0, "compat": 0,
                "all": 0, "follow": 0, "flight": 0, "flight-print": 0, "filter-port": 0,
                "filter-rest": 6, "write-back": 6, "write-back-stat": 0, "none": 4, "usage": 2, "missing": 1, "duration": 0,
                "ordinary": 5, "ordinary-poll": 6, "ordinary-doctor": 5, "permitted": 6,
                "tracepoints-list": 0, "tracepoints": 0}
    wrong = {step: (guest.status(step), status, guest.text(step, "err")[-500:])
             for step, status in statuses.items() if not ended_well(guest, step, status)}
    assert not wrong, f"(got, wanted, stderr): {wrong}"


def list_has_every_measurement_and_its_hook(guest):
    found = guest.json("list")
    assert len(found) >= 20, f"only {len(found)} measurements"
    for measurement in found:
        name = measurement["name"]
        state = "unavailable" if name in UNAVAILABLE else "off"
        same(measurement["state"], state, f"{name} ({measurement['reason']})")
        if name in UNAVAILABLE:
            continue
        first = measurement["hooks"][0]["hook"]
        same(measurement["hook"], OTHER_HOOKS.get(name, MAIN_HOOKS.get(name, first)), f"hook of {name}")
        for hook in measurement["hooks"]:
            assert hook["usable"] or hook["reason"], f"{name}: {hook['hook']}: no reason"


def unavailable(guest, step):
    """The measurements that the recorder said it had to leave out."""
    return set(re.findall(r"^sonde record: (\S+) is unavailable", guest.text(step, "err"),
                          re.MULTILINE))


def nothing_was_refused_by_the_verifier(guest):
    for step in ["exact", "all", "follow", "flight", "stacks", "filter-port", "filter-rest"]:
        assert unavailable(guest, step) <= UNAVAILABLE, guest.text(step, "err")


# Taking a stack takes long on a machine that is emulated, and interrupts hit it: what is lost by that is told.
LOSSY = {"lossy", "stacks"}


def nothing_was_lost(guest):
    for step in set(guest.traces()) - LOSSY:
        lost, hit, recorded = losses(guest, step)
        assert lost_to_interrupts_alone(lost, hit, recorded), \
            f"events lost in {step}: {lost}, to interrupts {hit}, of {recorded}"


def exactly_the_calls_made_are_in_the_trace(guest):
    tids = collections.Counter(event["tid"] for event in guest.events("exact", "sys.getppid"))
    same(list(tids.values()), [100000], "getppid calls of the one caller")
    ends = [event for event in guest.events("exact", "sys.exit") if event["fields"]["nr"] == 110]
    same(len(ends), 100000, "their ends")


def stats_in_the_guest_agree(guest):
    stats = guest.json("exact-stats")
    calls = [call["calls"] for call in stats["syscalls"] if call["nr"] == 110]
    same(calls, [100000], "getppid calls in sonde stats")
    same(stats["events"], len(guest.events("exact")), "events in sonde stats")


def a_32_bit_call_has_its_own_number_and_arguments(guest):
    calls = [event for event in guest.events("compat", "sys.getpgid") if event["fields"]["compat"]]
    same(len(calls), 100, "int $0x80 calls")
    for event in calls:
        same(event["fields"]["nr"], 132, "number of the call")
        same(event["fields"]["target_pid"], 11, "argument of the call")
        same(event["names"]["nr"], "getpgid", "name of the call")


def recorded_in_all(guest):
    """The measurements of which there is an event: each system call is one of sys.enter."""
    names = {event["event"] for event in guest.events("all")}
    return names | {"sys.enter" for name in names if name.startswith("sys.") and name != "sys.exit"}


def every_measurement_was_provoked(guest):
    wanted = {measurement["name"] for measurement in guest.json("list")} - UNPROVOKED - UNAVAILABLE
    missing = wanted - recorded_in_all(guest)
    assert not missing, f"not in the trace: {sorted(missing)}"


def each_block_that_becomes_dirty_is_a_record(guest):
    """ext4, which says how much of a write comes, is a module there: BPF does not see that."""
    written = [event["fields"] for event in guest.events("all", "fs.write") if event["comm"] == "dd"]
    same({one["bytes"] for one in written}, {4096}, "bytes of a block")
    pages = [one["index"] for one in written]
    same(len(set(pages)), len(pages), "pages, each once")
    lost, *_ = losses(guest, "all")
    assert 256 - lost <= len(pages) <= 256, f"{len(pages)} pages became dirty, 256 were written, {lost} events lost"


def time_never_goes_back(guest):
    for step in guest.traces():
        times = [event["time"] for event in guest.events(step)]
        back = [i for i in range(1, len(times)) if times[i] < times[i - 1]]
        assert not back, f"{step}: time goes back at event {back[0]} of {len(times)}"


def exec_tells_file_and_arguments(guest):
    seen = [event["fields"] for event in guest.events("all", "sched.exec")
            if event["fields"]["args"].startswith("actor getppid 1 ")]
    same([fields["args"] for fields in seen], [f"actor getppid 1 argument {i}" for i in range(20)],
         "arguments")
    same({fields["filename"] for fields in seen}, {"/bin/actor"}, "file names")


def forks_execs_and_exits_fit_together(guest):
    forked = {event["fields"]["child_tid"] for event in guest.events("all", "sched.fork")}
    woken = {event["fields"]["wake_tid"] for event in guest.events("all", "sched.wakeup_new")}
    same(woken, forked, "new tasks woken")
    exits = {event["tid"]: event["fields"] for event in guest.events("all", "sched.exit")}
    for event in guest.events("all", "sched.exec"):
        fields = exits.get(event["tid"])
        assert fields, f"{event['fields']['args']}: no exit of tid {event['tid']}"
        failing = "5209" in event["fields"]["args"] or "/load" in event["fields"]["filename"]
        same(fields["exit_code"] != 0, failing, f"failure of {event['fields']['args']}")


def a_task_moves_where_it_asked_to(guest):
    mover = next(event["tid"] for event in guest.events("all", "sched.exec")
                 if event["fields"]["args"] == "actor migrate 20")
    moves = [(event["fields"]["from_cpu"], event["fields"]["to_cpu"])
             for event in guest.events("all", "sched.migrate")
             if event["fields"]["move_tid"] == mover]
    assert len(moves) >= 19, f"{len(moves)} moves, wanted 19 or more"
    assert set(moves) <= {(0, 1), (1, 0)}, f"moves {set(moves)}"


def connections_go_through_their_states(guest):
    for port in [5201, 5202, 5203]:
        client = guest.connection("tcp.state", None, port)
        same([event["names"]["new_state"] for event in client], STATES_CLIENT,
             f"states of the client of {port}")
        same(client[0]["names"]["old_state"], "CLOSE", "state before")
        cookie = client[0]["fields"]["cookie"]
        same({event["fields"]["cookie"] for event in client}, {cookie}, "sockets of the client")
        peer = client[1]["fields"]["lport"]
        # A segment that comes twice makes a second socket, which SYN_RECV ends.
        server = [event for event in guest.connection("tcp.state", None, peer)
                  if (event["names"]["old_state"], event["names"]["new_state"])
                  != ("SYN_RECV", "CLOSE")]
        same([event["names"]["new_state"] for event in server], STATES_SERVER,
             f"states of the server of {port}")


def sent_bytes_arrive(guest):
    for port, size in [(5201, 2000000), (5202, 500000), (5203, 20000000)]:
        client = guest.connection("tcp.state", None, port)[-1]["fields"]
        # The peer acknowledges SYN and FIN as if they were bytes; Linux counts all but the first.
        assert client["bytes_acked"] - size in (0, 1, 2), \
            f"port {port}: {client['bytes_acked']} bytes acknowledged, {size} sent"
        sends = guest.connection("tcp.send", None, port)
        same(sum(event["fields"]["callvalue"] for event in sends), size,
             f"bytes handed over to port {port}")
        received = max(event["fields"]["bytes_received"]
                       for event in guest.connection("tcp.recv", port, None))
        assert received - size in (0, 1), f"port {port}: {received} bytes received, {size} sent"


def addresses_and_namespaces_are_those_of_the_connection(guest):
    for port, local, remote in [(5201, "10.9.0.1", "10.9.0.2"), (5202, "fd09::1", "fd09::2"),
                                (5203, "127.0.0.1", "127.0.0.1")]:
        clients = guest.connection("tcp.send", None, port)
        same({(event["fields"]["saddr"], event["fields"]["daddr"]) for event in clients},
             {(local, remote)}, f"addresses of the client of {port}")
        servers = guest.connection("tcp.recv", port, None)
        same({(event["fields"]["saddr"], event["fields"]["daddr"]) for event in servers},
             {(remote, local)}, f"addresses of the server of {port}")
        apart = clients[0]["fields"]["netns"] != servers[0]["fields"]["netns"]
        same(apart, port != 5203, f"two network namespaces on port {port}")


def values_are_plausible(guest):
    for event in guest.events("all"):
        if not event["event"].startswith("tcp."):
            continue
        for field, (low, high) in PLAUSIBLE.items():
            value = event["fields"][field]
            assert low <= value <= high, f"{event['event']}: {field} = {value} at {event['time']}"
        same(event["fields"]["ca_name"], "cubic", f"algorithm of {event['event']}")
        assert event["names"]["state"], f"{event['event']}: no name of the state"


def the_bottleneck_costs_retransmissions(guest):
    for port in [5201, 5202]:
        events = guest.connection("tcp.retransmit", None, port)
        assert events, f"no retransmission to port {port}"
        total = guest.connection("tcp.state", None, port)[-1]["fields"]["total_retrans"]
        # The total counts those too that the queue here drops at once, which 6.1 does not trace.
        again = sum(event["fields"]["segments"] for event in events)
        assert 0 < again <= total, f"port {port}: {again} segments sent again, the total is {total}"
    moves = {event["names"]["new_ca_state"] for event in guest.events("all", "tcp.loss")}
    assert moves & {"Recovery", "Loss"}, f"no recovery among {moves}"


def retransmissions_have_the_cause_of_their_state(guest):
    for event in guest.events("all", "tcp.retransmit"):
        state, cause = event["names"]["ca_state"], event["names"]["cause"]
        wanted = {"Recovery": ["FAST"], "Loss": ["RTO"]}.get(state, ["TLP", "FAST"])
        if event["names"]["state"] in ("SYN_SENT", "SYN_RECV"):
            wanted = ["SYN"]
        assert cause in wanted, f"cause {cause} in state {state}"


def windows_change_from_the_value_before(guest):
    before = {}
    for event in guest.events("all", "tcp.cwnd"):
        fields = event["fields"]
        same((fields["old_cwnd"], fields["old_ssthresh"]),
             before.get(fields["cookie"], (0, 0)), f"old windows of socket {fields['cookie']}")
        before[fields["cookie"]] = (fields["snd_cwnd"], fields["snd_ssthresh"])


def the_receive_buffer_grows(guest):
    for event in guest.events("all", "tcp.rcvbuf"):
        old, new = event["fields"]["callvalue"], event["fields"]["rcvbuf"]
        assert 0 < old < new, f"receive buffer from {old} to {new}"


def a_refused_connection_is_reset(guest):
    resets = guest.connection("tcp.reset", None, 5209)
    same([event["names"]["direction"] for event in resets], ["RECEIVED"], "resets of port 5209")


def a_followed_command_is_alone_in_its_trace(guest):
    run = guest.events("follow", "sched.exec")
    same([event["fields"]["filename"] for event in run],
         ["/bin/follow", "/bin/ip", "/bin/actor", "/bin/actor"], "programs run")
    ports = {(event["fields"]["lport"], event["fields"]["rport"])
             for event in guest.events("follow", "tcp.send")}
    same({rport for lport, rport in ports}, {5401}, "ports sent to")
    assert guest.events("follow", "tcp.ack"), "no segment of its connection, seen in an interrupt"


def filters_let_through_what_they_name(guest):
    ports = {event["fields"]["rport"] if event["fields"]["rport"] in (5301, 5302)
             else event["fields"]["lport"] for event in guest.events("filter-port")
             if event["event"].startswith("tcp.")}
    same(ports, {5301}, "ports with --port 5301")
    calls = [event["fields"]["nr"] for event in guest.events("filter-rest", "sys.getppid")]
    same(calls, [110] * 10, "calls with --syscall getppid")
    assert guest.events("filter-rest", "tcp.ack"), "no segment with --addr 127.0.0.0/8"


def write_back_belongs_to_the_cgroup_that_is_charged(guest):
    charged = re.search(r"\bwbytes=(\d+)", guest.text("write-back-stat"))
    assert charged, "no wbytes in io.stat"
    bios = guest.events("write-back", "disk.bio")
    same({bio["fields"]["op"] for bio in bios}, {1}, "operations")
    short = int(charged[1]) - sum(bio["fields"]["bytes"] for bio in bios)
    assert short == 0 or (short > 0 and losses(guest, "write-back")[0]), f"{short} of {charged[1]} bytes"
    assert int(charged[1]) >= 32 * 65536, "less charged than the first writer wrote"


def a_flight_recorder_keeps_the_newest(guest):
    calls = [event for event in guest.events("flight", "sys.getppid")]
    assert 500 < len(calls) < 50000, f"{len(calls)} calls in 256 KiB"
    last = [event for event in guest.events("flight", "sched.exit")]
    same(last[-1]["tid"], calls[-1]["tid"], "the last task to end")
    same(guest.text("flight-print"), guest.printed("flight"), "the trace as printed in the guest")


def each_call_has_the_stack_of_its_program(guest):
    assert guest.status("stacks") in (0, 3, 6), guest.text("stacks", "err")
    calls = guest.events("stacks", "sys.getppid")
    assert 50 < len(calls) <= 100, f"{len(calls)} calls of 100"
    for call in calls:
        fields, names = call["fields"], call["names"]
        # Until its process has a table to unwind by, nothing shows whether the program's side is whole.
        assert names["stack_state"] in ("WHOLE", "USER_CUT"), names["stack_state"]
        same(names["kernel_stack"][-1].split("+")[0], "entry_SYSCALL_64_after_hwframe",
             "where the kernel was entered")
        assert fields["user_stack"], "no frame of the program"
        assert not any("bpf" in (name or "") for name in names["kernel_stack"]), names


def every_tracepoint_of_the_kernel_is_understood(guest):
    found = guest.json("tracepoints-list")
    assert len(found) > 1000, f"only {len(found)} tracepoints"
    odd = [(one["name"], one["reason"]) for one in found if one["state"] != "off"]
    assert not odd, odd


def switch_of(event):
    """Who goes and who comes, of sched.switch and of the kernel's own tracepoint."""
    fields = event["fields"]
    return (event["tid"], fields.get("next_tid", fields.get("next_pid")), fields["prev_comm"],
            fields["next_comm"], fields["prev_prio"], fields["next_prio"])


def switches_are_those_of_the_kernels_own_tracepoint(guest):
    # Switches between the recorder and the idle task are left out of sched.switch.
    nobody = {0} | {event["tid"] for event in guest.events("tracepoints")
                    if event.get("comm") == "sonde"}
    for cpu in [0, 1]:
        mine, theirs = ([event for event in guest.events("tracepoints", name)
                         if event["cpu"] == cpu]
                        for name in ["sched.switch", "kernel:sched:sched_switch"])
        mine, theirs = ([switch for switch in map(switch_of, some) if set(switch[:2]) - nobody]
                        for some in [mine, theirs])
        # One of the programs is attached before the other, and taken off after it.
        fits = [shift for shift in range(len(mine) - 20)
                if all(one == other for one, other in zip(mine[shift:], theirs))]
        assert fits and min(len(mine) - fits[0], len(theirs)) > 30, (cpu, len(mine), len(theirs))


def what_an_interrupt_hits_meanwhile_is_counted(guest):
    assert guest.status("lossy") in (0, 3), guest.text("lossy", "err")
    mine = [event["time"] for event in guest.events("lossy", "irq.soft_enter")]
    theirs = [event["time"] for event in guest.events("lossy", "kernel:irq:softirq_entry")]
    begin, end = max(mine[0], theirs[0]) - 500000, min(mine[-1], theirs[-1]) + 500000
    missing = len([when for when in mine if begin <= when <= end])
    missing -= len([when for when in theirs if begin <= when <= end])
    told = sum(event["fields"]["count"] for event in guest.events("lossy", "sonde.loss")
               if event["fields"]["measurement"] == "kernel:irq:softirq_entry")
    # One of the two programs is attached before the other, and taken off after it.
    assert abs(told - missing) <= 3, f"{missing} are missing, {told} are told"


def what_is_executed_is_told_by_both(guest):
    mine, theirs = ({event["tid"]: event["fields"]["filename"]
                     for event in guest.events("tracepoints", name)}
                    for name in ["sched.exec", "kernel:sched:sched_process_exec"])
    assert theirs, "nothing was executed"
    same({tid: mine.get(tid) for tid in theirs}, theirs, "files")


def an_ordinary_user_is_told_what_is_missing(guest):
    assert "CAP_BPF" in guest.text("ordinary", "err"), guest.text("ordinary", "err")
    assert not (guest.out / "home" / "ordinary").exists(), "a trace that holds nothing"


def held(guest, step, port):
    """What tcp.poll has of a client that has sent 1000 bytes and rests; its SYN counts as one. What comes when it closes
    is another thing."""
    found = [event["fields"] for event in guest.events(step, "tcp.poll")
             if event["fields"]["rport"] == port and event["fields"]["bytes_acked"] == 1001 and
             event["names"]["state"] == "ESTABLISHED"]
    assert found, f"{step}: tcp.poll has not seen the connection to port {port} at rest"
    same({fields["saddr"] for fields in found}, {"127.0.0.1"}, "its address")
    same({fields["packets_out"] for fields in found}, {0}, "its segments in flight")
    return found


def a_connection_at_rest_is_polled(guest):
    for fields in held(guest, "all", 5204):
        same((fields["snd_una"], fields["snd_fack"]), (fields["snd_nxt"], fields["write_seq"]),
             "sequence numbers of a sender at rest")


def an_ordinary_user_polls_what_the_kernel_answers(guest):
    same(guest.json("list")[[one["name"] for one in guest.json("list")].index("tcp.poll")]
         ["hooks"][1]["usable"], True, "whether the kernel answers")
    for fields in held(guest, "home/polled", 5205):
        same({"snd_una", "write_seq", "rcv_nxt", "rcv_wnd"} & set(fields), set(),
             "fields that 6.1 does not tell")


def where_no_program_may_be_preempted_the_kernel_is_asked(guest):
    polled = [one for one in guest.json("list") if one["name"] == "tcp.poll"][0]
    same(polled["hook"], "inet_diag", "hook of tcp.poll")
    for fields in held(guest, "all", 5204):
        assert "snd_una" not in fields, fields


def the_capabilities_that_it_is_told_of_suffice(guest):
    assert unavailable(guest, "permitted") <= UNAVAILABLE, guest.text("permitted", "err")
    seen = {event["event"] for event in guest.events("home/permitted")}
    assert {"sys.getppid", "sched.exec", "sonde.task"} <= seen, seen


def samples_take_more_until_a_sysctl_is_set(guest):
    reasons = {one["name"]: one["reason"] for one in json.loads(guest.text("suspicious", "out"))["unavailable"]}
    assert "CAP_SYS_ADMIN here, or the sysctl kernel.perf_event_paranoid at 2 or less (it is 3)" in reasons["cpu.sample"], reasons


def the_kernel_did_not_complain(guest):
    log = (guest.out / "dmesg").read_text(errors="replace")
    bad = [line for line in log.splitlines()
           if any(word in line for word in ("WARNING:", "BUG:", "Oops"))]
    assert not bad, bad


def what_may_be_preempted_is_unavailable_and_says_why(guest):
    missing = {measurement["name"]: measurement["hooks"] for measurement in guest.json("list")
               if measurement["hook"] is None}
    same(set(missing), PREEMPTIBLE_HOOKS | UNAVAILABLE, "unavailable")
    for name in PREEMPTIBLE_HOOKS:
        reasons = [hook["reason"] for hook in missing[name]]
        assert any("preemptible" in reason for reason in reasons), reasons
        assert f"{name} is unavailable" in guest.text("all", "err"), guest.text("all", "err")


def the_others_are_all_recorded(guest):
    wanted = {measurement["name"] for measurement in guest.json("list")} - UNPROVOKED
    wanted -= PREEMPTIBLE_HOOKS | UNAVAILABLE
    missing = wanted - recorded_in_all(guest)
    assert not missing, f"not in the trace: {sorted(missing)}"
    # Not all of them can run on this kernel; system calls can, and what tasks had open before is not known.
    for step in ("all", "crowd"):
        assert ended_well(guest, step, 6), f"status of {step}: {guest.status(step)}, not 6"
    said = guest.text("crowd", "err")
    assert re.search(r"it is not known what tasks had open at the beginning \(iter/task_file: .*preemptible", said), said
    assert " unavailable" not in said and "measured in part" not in said, said


def a_crowd_is_counted_exactly(guest):
    for name in ["sys.getppid", "sys.exit"]:
        calls = collections.Counter(event["tid"] for event in guest.events("crowd", name)
                                    if event["fields"]["nr"] == 110
                                    and event["comm"] == "actor")
        same(sorted(calls.values()), [10000] * 6, f"{name} of getppid by each caller")


def datagrams_go_their_way_through_every_layer(guest):
    for port, header in [(5204, 28), (5205, 48)]:
        sizes = collections.defaultdict(list)
        for event in guest.events("all"):
            fields = event["fields"]
            if event["event"].startswith("net.") and fields["sport"] == fields["dport"] == port:
                sizes[event["event"]].append(fields["size"])
        device = [size + header + 14 for size in range(1, 21)]
        ip = [size + header for size in range(1, 21)]
        bare = list(range(1, 21))
        same(dict(sizes), {"net.sock_send": bare, "net.udp_send": bare, "net.ip_send": ip,
                           "net.dev_queue": device, "net.dev_xmit": device,
                           "net.dev_recv": device, "net.ip_recv": ip, "net.udp_recv": ip,
                           "net.sock_recv": bare, "net.app_recv": bare},
             f"bytes that cross on the way of datagrams to port {port}")


def a_socket_that_is_not_connected_sends_where_the_call_says(guest):
    for port in (5206, 5207):
        sizes = collections.defaultdict(list)
        for event in guest.events("all"):
            fields = event["fields"]
            if event["event"] in ("net.sock_send", "net.udp_send") and fields["dport"] == port:
                assert fields["sport"] == port and fields["cookie"], fields
                sizes[event["event"]].append(fields["size"])
        each = list(range(1, 21))
        same(dict(sizes), {"net.sock_send": each, "net.udp_send": each},
             f"bytes sent to port {port}")


def a_refused_segment_is_dropped_for_want_of_a_socket(guest):
    reasons = [event["names"]["reason"] for event in guest.events("all", "net.drop")
               if event["fields"]["dport"] == 5209]
    same(reasons, ["NO_SOCKET"], "drops of the segment to port 5209")


FIRST = [
    every_step_ended_as_it_should,
    list_has_every_measurement_and_its_hook,
    nothing_was_refused_by_the_verifier,
    nothing_was_lost,
    exactly_the_calls_made_are_in_the_trace,
    stats_in_the_guest_agree,
    a_32_bit_call_has_its_own_number_and_arguments,
    every_measurement_was_provoked,
    each_block_that_becomes_dirty_is_a_record,
    time_never_goes_back,
    exec_tells_file_and_arguments,
    forks_execs_and_exits_fit_together,
    a_task_moves_where_it_asked_to,
    connections_go_through_their_states,
    sent_bytes_arrive,
    addresses_and_namespaces_are_those_of_the_connection,
    values_are_plausible,
    the_bottleneck_costs_retransmissions,
    retransmissions_have_the_cause_of_their_state,
    windows_change_from_the_value_before,
    the_receive_buffer_grows,
    a_refused_connection_is_reset,
    datagrams_go_their_way_through_every_layer,
    a_socket_that_is_not_connected_sends_where_the_call_says,
    a_refused_segment_is_dropped_for_want_of_a_socket,
    a_followed_command_is_alone_in_its_trace,
    filters_let_through_what_they_name,
    write_back_belongs_to_the_cgroup_that_is_charged,
    a_flight_recorder_keeps_the_newest,
    each_call_has_the_stack_of_its_program,
    a_connection_at_rest_is_polled,
    every_tracepoint_of_the_kernel_is_understood,
    switches_are_those_of_the_kernels_own_tracepoint,
    what_an_interrupt_hits_meanwhile_is_counted,
    what_is_executed_is_told_by_both,
    an_ordinary_user_is_told_what_is_missing,
    an_ordinary_user_polls_what_the_kernel_answers,
    the_capabilities_that_it_is_told_of_suffice,
    samples_take_more_until_a_sysctl_is_set,
    the_kernel_did_not_complain,
]
PREEMPTIBLE = [
    what_may_be_preempted_is_unavailable_and_says_why,
    where_no_program_may_be_preempted_the_kernel_is_asked,
    the_others_are_all_recorded,
    nothing_was_lost,
    a_crowd_is_counted_exactly,
    time_never_goes_back,
    connections_go_through_their_states,
    the_kernel_did_not_complain,
]


def judge(checks, sonde, out):
    """Prints a line for each check; the number that failed."""
    guest = Guest(sonde, out)
    failed = 0
    for check in checks:
        sentence = check.__name__.replace("_", " ")
        try:
            check(guest)
            print(f"ok   {sentence}")
        except (AssertionError, LookupError, OSError, ValueError,
                subprocess.CalledProcessError) as error:
            failed += 1
            print(f"FAIL {sentence}: {type(error).__name__}: {error}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return failed
