# SPDX-License-Identifier: BSD-2-Clause
"""sonde: reads traces of Linux hosts, by way of libsonde.

    import sonde

    for event in sonde.open("T", events="tcp", where="snd_cwnd > 100"):
        print(event.time, event.comm, event.name, event["snd_cwnd"])

An event is a mapping from the names of its fields to their values, which are as `sonde print --format
json` shows them: numbers, texts, lists, and of lists of structures dictionaries; addresses are texts.
Fields of contexts are among them, and what a variant is not is missing. Where events were lost while recording,
an event says so at that place (event.is_lost); no filter hides it. What could not be read of a
damaged trace is warned of at the end, and is in Trace.problems; the rest is read all the same. Where a trace breaks
the standard of its format without harm is in Trace.warnings.
"""
import collections.abc
import ctypes
import errno
import warnings

__all__ = ["Class", "DamageWarning", "Error", "Event", "Field", "Trace", "follow", "open",
           "version"]

# It holds the interpreter's lock during calls, so that threads cannot meet within one source.
_lib = ctypes.PyDLL("libsonde.so.0")

_ERROR_BYTES = 512
_UNSIGNED, _SIGNED, _DOUBLE, _TEXT, _LIST = range(1, 6)
_SCOPES = ("monitor", "system", "object")


class _Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * _ERROR_BYTES), ("offset", ctypes.c_uint64),
                ("line", ctypes.c_uint32), ("reserved", ctypes.c_uint32 * 5)]


class _Credentials(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_char_p) for name in ("tls_cert", "tls_key", "tls_ca", "token")),
                ("reserved", ctypes.c_void_p * 4)]


def _declare():
    """What the functions of sonde.h take and return."""
    handle, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    number, error = ctypes.c_int64, ctypes.POINTER(_Error)
    value = (handle, handle)
    prototypes = {
        "version": (text,),
        "open": (ctypes.c_int, text, ctypes.POINTER(handle), error),
        "follow": (ctypes.c_int, text, ctypes.POINTER(handle), error),
        "open_live": (ctypes.c_int, text, ctypes.POINTER(_Credentials), ctypes.POINTER(handle),
                      error),
        "close": (None, handle),
        "filter_events": (ctypes.c_int, handle, text, error),
        "filter_where": (ctypes.c_int, handle, text, error),
        "filter_cpus": (ctypes.c_int, handle, text, error),
        "filter_from": (ctypes.c_int, handle, text, error),
        "filter_to": (ctypes.c_int, handle, text, error),
        "next": (ctypes.c_int, handle, ctypes.POINTER(handle), error),
        "event_copy": (handle, handle),
        "event_free": (None, handle),
        "event_time_ns": (number, handle),
        "event_cpu": (ctypes.c_int32, handle),
        "event_tid": (ctypes.c_int32, handle),
        "event_owner": (ctypes.c_int32, handle),
        "event_comm": (text, handle),
        "event_cgroup": (text, handle),
        "event_container": (text, handle),
        "event_class": (handle, handle),
        "value_is_present": (ctypes.c_bool, *value),
        "value_count": (size, *value),
        "value_uint_at": (ctypes.c_uint64, *value, size),
        "value_int_at": (number, *value, size),
        "value_double_at": (ctypes.c_double, *value, size),
        "value_text": (handle, *value, ctypes.POINTER(size)),
        "value_label_at": (text, *value, size),
        "value_item": (handle, *value, size, handle),
        "class_count": (size, handle),
        "class_get": (handle, handle, size),
        "class_name": (text, handle),
        "class_text": (text, handle),
        "class_is_lost": (ctypes.c_bool, handle),
        "class_field_count": (size, handle),
        "class_field_get": (handle, handle, size),
        "field_name": (text, handle),
        "field_text": (text, handle),
        "field_unit": (text, handle),
        "field_type": (ctypes.c_int, handle),
        "field_is_array": (ctypes.c_bool, handle),
        "field_items": (handle, handle),
        "field_is_context": (ctypes.c_bool, handle),
        "field_bits": (ctypes.c_uint, handle),
        "field_scope": (ctypes.c_int, handle),
        "field_show": (text, handle),
        "field_label_count": (size, handle),
        "field_label_get": (text, handle, size, ctypes.POINTER(number), ctypes.POINTER(number)),
        "lost_events": (ctypes.c_uint64, handle),
        "lost_packets": (ctypes.c_uint64, handle),
        "problem": (text, handle, size),
        "warning": (text, handle, size),
        "env_count": (size, handle),
        "env_name": (text, handle, size),
        "env_text": (text, handle, text),
        "env_number": (ctypes.c_int, handle, text, ctypes.POINTER(number)),
    }
    for name, (result, *arguments) in prototypes.items():
        function = getattr(_lib, "sonde_" + name)
        function.restype = result
        function.argtypes = arguments


_declare()


def _str(octets):
    """Bytes that are not UTF-8 survive, as in names of files (PEP 383)."""
    return None if octets is None else octets.decode("utf-8", "surrogateescape")


def _bytes(text):
    return str(text).encode("utf-8", "surrogateescape")


def version():
    """Of the library, "0.1.0"."""
    return _str(_lib.sonde_version())


class Error(Exception):
    """What failed, and why. `code` is an errno; `offset` and `line` say where in the input or in the
    expression, 0 where that says nothing."""

    def __init__(self, code, error):
        super().__init__(_str(error.text))
        self.code = code
        self.offset = error.offset
        self.line = error.line


class DamageWarning(UserWarning):
    """Something of a trace could not be read."""


def _call(function, *arguments):
    error = _Error()
    result = function(*arguments, ctypes.byref(error))
    if result < 0:
        raise Error(-result, error)
    return result


class _Source:
    """The open trace, which lives as long as anything that came out of it."""

    def __init__(self, name, follows, credentials):
        self.handle = None
        handle = ctypes.c_void_p()
        if credentials:
            shown = _Credentials(**{key: _bytes(file) for key, file in credentials.items()})
            _call(_lib.sonde_open_live, _bytes(name), ctypes.byref(shown), ctypes.byref(handle))
        else:
            _call(_lib.sonde_follow if follows else _lib.sonde_open, _bytes(name),
                  ctypes.byref(handle))
        self.handle = handle.value

    def __del__(self, _close=_lib.sonde_close):
        _close(self.handle)


def _read_text(handle, event, _text=_lib.sonde_value_text):
    length = ctypes.c_size_t()
    text = _text(event, handle, ctypes.byref(length))
    return _str(ctypes.string_at(text, length.value))


def _read_address(handle, event):
    return _str(_lib.sonde_value_label_at(event, handle, 0))


_ITEM = ctypes.c_uint64 * 16


def _read_items(fields, handle, event):
    """Of items that are one value each, these."""
    bare = fields.get("") if len(fields) == 1 else None
    for i in range(_lib.sonde_value_count(event, handle)):
        room = _ITEM()
        item = _lib.sonde_value_item(event, handle, i, room)
        yield bare.read(item) if bare else {
            name: field.read(item) for name, field in fields.items()
            if _lib.sonde_value_is_present(item, field._handle)}


def _read_labels(field, event):
    """What the numbers in a field stand for, in the shape of its value; None where nothing has a label."""
    handle, count = field._handle, _lib.sonde_value_count(event, field._handle)
    if field.items:
        found = []
        for i in range(count):
            room = _ITEM()
            found.append(_read_item_labels(field.items.fields,
                                           _lib.sonde_value_item(event, handle, i, room)))
    elif field.show == "address" and field.is_array and field.bits == 8:
        return None  # its value is its text
    elif field.is_array and field.type != "text":
        found = [_str(_lib.sonde_value_label_at(event, handle, i)) for i in range(count)]
    else:
        return _str(_lib.sonde_value_label_at(event, handle, 0))
    return found if any(one is not None for one in found) else None


def _read_item_labels(fields, item):
    if len(fields) == 1 and "" in fields:
        return _read_labels(fields[""], item)
    found = {name: _read_labels(field, item) for name, field in fields.items()
             if _lib.sonde_value_is_present(item, field._handle)}
    return {name: label for name, label in found.items() if label is not None} or None


class Field:
    """What a field is: name, text (a description or None), unit (or None), type ("unsigned",
    "signed", "double", "text", "list"), is_array, items (the Class of what a list holds, or None),
    is_context (whether it tells what the event happened in), bits of an element, scope ("monitor",
    "system", "object"), show (how it is best shown: "decimal", "hex", ...), and labels: (first, last,
    label) of each range of values that has one."""

    def __init__(self, source, handle):
        self._source = source
        self._handle = handle
        self._type = _lib.sonde_field_type(handle)
        self.name = _str(_lib.sonde_field_name(handle))
        self.text = _str(_lib.sonde_field_text(handle))
        self.unit = _str(_lib.sonde_field_unit(handle))
        self.type = {_UNSIGNED: "unsigned", _SIGNED: "signed", _DOUBLE: "double",
                     _TEXT: "text", _LIST: "list"}.get(self._type, "unknown")
        self.is_array = _lib.sonde_field_is_array(handle)
        items = _lib.sonde_field_items(handle)
        self.items = Class(source, items) if items else None
        self.is_context = _lib.sonde_field_is_context(handle)
        self.bits = _lib.sonde_field_bits(handle)
        self.scope = _SCOPES[_lib.sonde_field_scope(handle)]
        self.show = _str(_lib.sonde_field_show(handle))
        self.read = self._make_reader()

    def __repr__(self):
        return "<sonde.Field %s>" % self.name

    @property
    def labels(self):
        """[(first, last, label), ...] of an enumeration."""
        found = []
        first, last = ctypes.c_int64(), ctypes.c_int64()
        for i in range(_lib.sonde_field_label_count(self._handle)):
            label = _lib.sonde_field_label_get(self._handle, i, ctypes.byref(first),
                                               ctypes.byref(last))
            found.append((first.value, last.value, _str(label)))
        return found

    def _make_reader(self):
        """A function from the handle of an event to the value."""
        handle, count = self._handle, _lib.sonde_value_count
        if self._type == _TEXT:
            return lambda event: _read_text(handle, event)
        if self.items:
            return lambda event: list(_read_items(self.items.fields, handle, event))
        if self.show == "address" and self.is_array and self.bits == 8:
            return lambda event: _read_address(handle, event)
        one = {_UNSIGNED: _lib.sonde_value_uint_at, _SIGNED: _lib.sonde_value_int_at,
               _DOUBLE: _lib.sonde_value_double_at}.get(self._type)
        if not one:
            return lambda event: None
        if self.is_array:
            return lambda event: [one(event, handle, i) for i in range(count(event, handle))]
        return lambda event: one(event, handle, 0)


class Class:
    """What events of one name have in common: name, text (a description or None), is_lost, and
    fields, a dictionary of Field by name in the order of the trace."""

    def __init__(self, source, handle):
        self._source = source
        self.name = _str(_lib.sonde_class_name(handle))
        self.text = _str(_lib.sonde_class_text(handle))
        self.is_lost = _lib.sonde_class_is_lost(handle)
        handles = (_lib.sonde_class_field_get(handle, i)
                   for i in range(_lib.sonde_class_field_count(handle)))
        self.fields = {field.name: field for field in (Field(source, one) for one in handles)}

    def __repr__(self):
        return "<sonde.Class %s>" % self.name


class Event(collections.abc.Mapping):
    """One event: a mapping from names of fields to values. It may be kept for as long as you like,
    even when the trace has been closed."""

    __slots__ = ("_handle", "_class")

    def __init__(self, handle, event_class):
        self._handle = handle
        self._class = event_class

    def __del__(self, _free=_lib.sonde_event_free):
        _free(self._handle)

    @property
    def event_class(self):
        """Its Class."""
        return self._class

    @property
    def name(self):
        """Of its class: "tcp.ack"."""
        return self._class.name

    @property
    def time(self):
        """In ns since 1970."""
        return _lib.sonde_event_time_ns(self._handle)

    @property
    def cpu(self):
        """None where it is not known, as the next ones."""
        cpu = _lib.sonde_event_cpu(self._handle)
        return cpu if cpu >= 0 else None

    @property
    def tid(self):
        """The task that it happened in."""
        tid = _lib.sonde_event_tid(self._handle)
        return tid if tid >= 0 else None

    @property
    def owner(self):
        """The tid of the task that it belongs to, which another one may have interrupted; or None."""
        tid = _lib.sonde_event_owner(self._handle)
        return tid if tid >= 0 else None

    @property
    def comm(self):
        """The name of that task."""
        return _str(_lib.sonde_event_comm(self._handle))

    @property
    def cgroup(self):
        """The path of its cgroup, where that is not the root."""
        return _str(_lib.sonde_event_cgroup(self._handle))

    @property
    def container(self):
        """The container that it runs in: its name, or the first digits of its id."""
        return _str(_lib.sonde_event_container(self._handle))

    @property
    def is_lost(self):
        """Whether it tells that events are missing here."""
        return self._class.is_lost

    def label(self, name, i=0):
        """What the number in that field (of an array, in its element i) stands for: the name of a
        state, a system call, an error, a file, a function; None where it has none."""
        field = self._class.fields[name]
        return _str(_lib.sonde_value_label_at(self._handle, field._handle, i))

    def labels(self, name):
        """What the numbers in that field stand for, in the shape of its value: a text; of an array or a list a
        list; of items with fields of their own dictionaries, as `names` of `sonde print --format json` has them.
        None in the place of what has no label, and where nothing has one."""
        return _read_labels(self._class.fields[name], self._handle)

    def __getitem__(self, name):
        field = self._class.fields[name]
        if not _lib.sonde_value_is_present(self._handle, field._handle):
            raise KeyError(name)
        return field.read(self._handle)

    def __iter__(self):
        for name, field in self._class.fields.items():
            if _lib.sonde_value_is_present(self._handle, field._handle):
                yield name

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        return "<sonde.Event %s at %d: %r>" % (self.name, self.time, dict(self))


class Trace:
    """An open trace: an iterator over its events in the order of time. Of one that is followed it
    waits for those that come."""

    def __init__(self, name, events=None, where=None, since=None, until=None, cpus=None,
                 follows=False, credentials=None):
        self.name = name
        self._source = source = _Source(name, follows, credentials)
        self._classes = {}
        self._learn_classes()
        self._event = ctypes.c_void_p()
        self._error = _Error()
        self._told = 0
        for pattern in [events] if isinstance(events, str) else events or ():
            _call(_lib.sonde_filter_events, source.handle, _bytes(pattern))
        for function, argument in ((_lib.sonde_filter_where, where),
                                   (_lib.sonde_filter_from, since), (_lib.sonde_filter_to, until),
                                   (_lib.sonde_filter_cpus, cpus)):
            if argument is not None:
                _call(function, source.handle, _bytes(argument))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Ends the reading. Events that were kept stay."""
        self._source = None

    def _handle(self):
        if not self._source:
            raise ValueError("the trace is closed")
        return self._source.handle

    def __iter__(self):
        return self

    def _learn_classes(self):
        """Those that there are by now: of a trace that is followed more may come."""
        for i in range(len(self._classes), _lib.sonde_class_count(self._handle())):
            handle = _lib.sonde_class_get(self._handle(), i)
            self._classes[handle] = Class(self._source, handle)

    def poll(self):
        """The next event, or, of a trace that is followed, None: a tenth of a second has passed, and
        nothing has come. StopIteration at the end."""
        got = _lib.sonde_next(self._handle(), self._event, self._error)
        if got == -errno.EAGAIN:
            return None
        if got < 0:
            raise Error(-got, self._error)
        if not got:
            self._warn()
            raise StopIteration
        copy = _lib.sonde_event_copy(self._event)
        if not copy:
            raise MemoryError
        of = _lib.sonde_event_class(copy)
        if of not in self._classes:
            self._learn_classes()
        return Event(copy, self._classes[of])

    def __next__(self):
        while (event := self.poll()) is None:
            pass
        return event

    def _warn(self):
        told, self._told = self._told, len(self.problems)
        for problem in self.problems[told:]:
            warnings.warn("%s: %s" % (self.name, problem), DamageWarning, stacklevel=3)

    @property
    def classes(self):
        """All classes of events that it may have: a list of Class."""
        return list(self._classes.values())

    @property
    def lost(self):
        """Events that were lost while recording, as far as it has been read."""
        return _lib.sonde_lost_events(self._handle())

    @property
    def lost_packets(self):
        """Packets that a flight recorder overwrote, with their events."""
        return _lib.sonde_lost_packets(self._handle())

    @property
    def problems(self):
        """What could not be read so far: file, offset, and why, each a text."""
        return self._sentences(_lib.sonde_problem)

    @property
    def warnings(self):
        """Where the trace breaks the standard of its format, as far as it has been read, each a text. It has been read
        all the same."""
        return self._sentences(_lib.sonde_warning)

    def _sentences(self, function):
        found = []
        handle = self._handle()
        while (sentence := function(handle, len(found))) is not None:
            found.append(_str(sentence))
        return found

    @property
    def env(self):
        """What the trace tells of the host and its recorder: a dictionary of texts and numbers."""
        found = {}
        handle = self._handle()
        number = ctypes.c_int64()
        for i in range(_lib.sonde_env_count(handle)):
            name = _lib.sonde_env_name(handle, i)
            if _lib.sonde_env_number(handle, name, ctypes.byref(number)):
                found[_str(name)] = _str(_lib.sonde_env_text(handle, name))
            else:
                found[_str(name)] = number.value
        return found


def open(name, events=None, where=None, since=None, until=None, cpus=None, credentials=None):
    """Opens a SOURCE, which is a trace directory. events: a pattern as of `sonde print -e`, or several;
    where: an expression as of --where; since, until: times as of --from and --to, or ns since 1970;
    cpus: "0,2-5". Only events for which all of them hold are given.
    credentials: for a live session at a relay that asks for them, a dictionary of files by tls_cert,
    tls_key, tls_ca, token."""
    return Trace(name, events, where, since, until, cpus, credentials=credentials)


def follow(name, events=None, where=None, since=None, until=None, cpus=None):
    """The same of a trace that is still being recorded: what there is, then what comes, 1.5 to 2.5
    seconds after it happened, until the recorder ends. Trace.poll() does not wait for long. While
    it waits, for a tenth of a second at a time, other threads do too."""
    return Trace(name, events, where, since, until, cpus, True)
