# SPDX-License-Identifier: BSD-2-Clause
"""Scenarios: known causes as data (scenarios/*.toml), with parameters drawn at random."""
import pathlib
import random
import tomllib

FOLDER = pathlib.Path(__file__).parent / "scenarios"
KEYS = {"text", "finding", "draw", "wire", "serve", "run", "sysctl", "record", "qdisc", "cgroup", "disk", "twin", "false"}
RECORD = "tcp,sched.switch,sched.wak*"
MSS = 1448


class Bad(ValueError):
    """A scenario that is not well formed."""


def draw(ranges, seed):
    """{name: value}: integers from integers, else reals. The order of the names has no say."""
    values = {}
    for name, (low, high) in ranges.items():
        number = random.Random("%s %s" % (seed, name))
        whole = isinstance(low, int) and isinstance(high, int)
        values[name] = number.randint(low, high) if whole else round(number.uniform(low, high), 3)
    return values


def derive(values):
    """What follows from what was drawn."""
    more = dict(values)
    if "size" in values:
        more["tail"] = max(values["size"] - 2 * MSS, 1)
    if "down" in values:
        more["up"] = 500 + values["down"]
    if "part" in values:
        more["both"] = 2 * values["part"]
    return more


class Scenario:
    def __init__(self, name, area, table):
        unknown = table.keys() - KEYS | table.get("twin", {}).keys() - KEYS
        if unknown or not {"text", "finding", "draw", "run", "twin"} <= table.keys():
            raise Bad("%s: unknown keys, or keys are missing: %s" % (name, ", ".join(sorted(unknown))))
        self.name, self.area, self.text, self.finding = name, area, table["text"], table["finding"]
        self.table = table

    def is_right(self, twin, ids):
        """Of the fault: the right one is first, or there is none to be found. Of the twin: none that would be false."""
        if twin:
            return not set(ids) & set(self.table["twin"].get("false", self.finding))
        return ids[0] in self.finding if ids and self.finding else not (ids or self.finding)

    def plan(self, twin, seed, directory):
        """The run of that seed: its values filled in. The twin has the same ones."""
        table = self.table | (self.table["twin"] if twin else {})
        values = draw(self.table["draw"], "%s %s" % (self.name, seed))
        fill = derive(values) | {"directory": directory, "device": "{device}"}
        plan = {key: [text.format(**fill) for text in table.get(key, [])] for key in ("wire", "serve", "run")}
        return plan | {"has_wire": "wire" in table, "sysctl": table.get("sysctl", {}),
                       "qdisc": table.get("qdisc", "").format(**fill),
                       "cgroup": {key: str(value).format(**fill) for key, value in table.get("cgroup", {}).items()},
                       "disk": table.get("disk", 0), "record": table.get("record", RECORD), "values": values}


def load(folder=FOLDER):
    """{name: Scenario}, of all files, in their order."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.toml")):
        for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if name in found:
                raise Bad(name + ": two scenarios of that name")
            found[name] = Scenario(name, path.stem, table)
    return found
