# SPDX-License-Identifier: BSD-2-Clause
"""ss as a witness: what it tells of one connection, and how that compares with a TCP snapshot."""
import re

from harness import check, equal, run


def ask_ss(name, port):
    """What ss tells of the connection with that local port."""
    text = run("ip", "netns", "exec", name, "ss", "-tiemnOH", "sport", "=", ":%d" % port).stdout
    told = dict(re.findall(r"\b([a-z_]+):([\d./,a-z]+)", text))
    told["words"] = text.split()
    told["queue"] = int(told["words"][1]) if len(told["words"]) > 1 else None  # Recv-Q
    memory = re.search(r"skmem:\(([^)]*)\)", text)
    told["skmem"] = dict(re.findall(r"([a-z_]+?)(\d+)", memory[1])) if memory else {}
    return told


def compare_at_rest(what, told, snapshot):
    """Nothing is in flight, nothing happens: both must be the same to the last digit."""
    def one(name, mine, default=0):
        equal("%s: %s of sonde and ss" % (what, name), mine, int(told.get(name, default)))

    one("cwnd", snapshot["snd_cwnd"])
    one("ssthresh", snapshot["snd_ssthresh"], 0x7fffffff)
    one("mss", snapshot["mss"])
    one("bytes_acked", snapshot["bytes_acked"])
    one("delivered", snapshot["delivered"])
    one("reordering", snapshot["reordering"], 3)
    one("rcv_ssthresh", snapshot["rcv_ssthresh"])
    one("snd_wnd", snapshot["snd_wnd"])
    for name in ("data_segs_out", "bytes_retrans", "delivered_ce", "dsack_dups", "reord_seen", "rcv_ooopack"):
        one(name, snapshot[name])
    for name in ("busy", "rwnd_limited", "sndbuf_limited"):  # "12ms(3.4%)": of busy
        equal("%s: %s of sonde and ss, ms" % (what, name), snapshot[name + "_us"] // 1000,
              int(told.get(name, "0ms").split("ms")[0]))
    equal(what + ": minrtt of sonde and ss, us", "%.3f" % (snapshot["min_rtt_us"] / 1000),
          "%.3f" % float(told["minrtt"]))
    equal(what + ": delivery rate of sonde and ss", "%dbps" % (snapshot["delivery_rate"] * 8),
          told["words"][told["words"].index("delivery_rate") + 1])
    equal(what + ": app_limited of sonde and ss", snapshot["app_limited"], int("app_limited" in told["words"]))
    rtt, variance = told["rtt"].split("/")
    equal(what + ": srtt of sonde and ss, us", "%.3f" % (snapshot["srtt_us"] / 1000),
          "%.3f" % float(rtt))
    equal(what + ": mdev of sonde and ss, us", "%.3f" % (snapshot["mdev_us"] / 1000),
          "%.3f" % float(variance))
    equal(what + ": rto of sonde and ss, ms", snapshot["rto_us"] / 1000, float(told["rto"]))
    equal(what + ": retransmissions of sonde and ss", snapshot["total_retrans"],
          int(told.get("retrans", "0/0").split("/")[1]))
    equal(what + ": socket buffers of sonde and ss",
          [snapshot["rcvbuf"], snapshot["sndbuf"], snapshot["rmem_alloc"],
           snapshot["wmem_queued"]],
          [int(told["skmem"][name]) for name in ("rb", "tb", "r", "w")])
    check(told["sk"] == "%x" % snapshot["cookie"], "%s: cookie of sonde %x, of ss %s" %
          (what, snapshot["cookie"], told["sk"]))
