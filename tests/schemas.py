#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""schemas.py SONDE SOURCE: what --json prints is what schemas/ describes, and nothing else.

A schema lets programs accept what later versions add; here an undescribed member is a fault, so
that whoever adds one describes it."""
import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print('python3-jsonschema is not installed')
    sys.exit(77)

DATA = ['tests/golden/data/' + name for name in
        ('busy', 'nested', 'ping_pong', 'recovery', 'visit', 'window', 'rx_debug.pcap')]
DATA += ['examples/bottleneck']
# A command, and the statuses with which it prints an object.
COMMANDS = [
    ('list', ['list', '-v', '--json'], (0,)),
    ('doctor', ['doctor', '--json'], (0, 5, 6)),
    ('version', ['version', '--json'], (0,)),
]
COMMANDS += [(verb, [verb, '--json', trace], (0, 3, 4)) for verb in ('stats', 'report')
             for trace in DATA]
# What programs rely on: a schema that takes this away from an answer takes it from them.
BROKEN = [
    ('list', lambda one: one[0].pop('name')),
    ('doctor', lambda one: one['checks'][0].update(state='good')),
    ('version', lambda one: one['kernel'].pop('release')),
    ('stats', lambda one: one.update(events='many')),
    ('stats', lambda one: one.update(undescribed=1)),
    ('report', lambda one: one.update(lost=-1)),
]


def close(schema):
    """The same schema, by which an object has no members but those that it describes."""
    if isinstance(schema, dict):
        if 'properties' in schema:
            schema.setdefault('additionalProperties', False)
        for value in schema.values():
            close(value)
    elif isinstance(schema, list):
        for value in schema:
            close(value)
    return schema


def run(sonde, arguments, statuses):
    done = subprocess.run([sonde] + arguments, capture_output=True, text=True, check=False)
    if done.returncode not in statuses or not done.stdout:
        sys.exit(f'sonde {" ".join(arguments)}: status {done.returncode}: {done.stderr}')
    return json.loads(done.stdout)


def main():
    sonde, source = sys.argv[1], pathlib.Path(sys.argv[2])
    validators, answers, failed = {}, {}, False
    for path in sorted((source / 'schemas').glob('*.json')):
        schema = json.loads(path.read_text(encoding='utf-8'))
        jsonschema.Draft202012Validator.check_schema(schema)
        if not schema['$id'].startswith(f'urn:sonde:schema:{path.stem}:'):
            sys.exit(f'{path}: $id is {schema["$id"]}')
        validators[path.stem] = jsonschema.Draft202012Validator(close(schema))
    for name, arguments, statuses in COMMANDS:
        arguments = [str(source / one) if one in DATA else one for one in arguments]
        answers[name] = run(sonde, arguments, statuses)
        for error in validators[name].iter_errors(answers[name]):
            failed = True
            print(f'sonde {" ".join(arguments)}: {"/".join(map(str, error.absolute_path))}: '
                  f'{error.message[:300]}')
    if set(answers) != set(validators):
        failed = True
        print('schemas without a command:', set(validators) - set(answers))
    for name, damage in BROKEN:
        answer = copy.deepcopy(answers[name])
        damage(answer)
        if validators[name].is_valid(answer):
            failed = True
            print(f'the schema of {name} takes a damaged answer')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
