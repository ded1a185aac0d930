/**
 * Changes of messages and enums: what protobuf's own rules allow, as far as every old value stays
 * the same value.
 */
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import type { Lock, LockedEnum, LockedField, LockedMessage } from './lock.js';

/**
 * Types whose every value the other types read as the same value ("Updating A Message Type" in
 * protobuf's language guide, without the directions that cut or change values: int64 to int32,
 * fixed32 to sfixed32).
 */
const widened: Readonly<Record<string, readonly string[]>> = {
  bool: ['int32', 'uint32', 'int64', 'uint64'],
  int32: ['int64'],
  uint32: ['uint64', 'int64'],
  sint32: ['sint64'],
  string: ['bytes'],
};

/** Changes of the messages and enums of two locks that name types alike. */
export class MessageEvolution {
  readonly #before: Lock;
  readonly #after: Lock;
  /** Pairs being compared: a message may contain itself. */
  readonly #comparing = new Set<string>();

  constructor(before: Lock, after: Lock) {
    this.#before = before;
    this.#after = after;
  }

  /** Every change of messages and enums. */
  changes(): EvolutionChange[] {
    const found: EvolutionChange[] = [];
    for (const [name, message] of Object.entries(this.#after.messages)) {
      const was = this.#before.messages[name];
      if (was === undefined) found.push(changeOf('message-added', name, `message ${name} is new`));
      else found.push(...this.#messageChanges(name, was, message));
    }
    for (const [name, members] of Object.entries(this.#after.enums)) {
      const was = this.#before.enums[name];
      if (was === undefined) found.push(changeOf('message-added', name, `enum ${name} is new`));
      else found.push(...enumChanges(name, was, members));
    }
    return found;
  }

  /**
   * Whether the values of one type are all read, as the same values, by the other: the types of
   * fields, and `message X`.
   */
  reads(before: string, after: string): boolean {
    if (before === after || widened[before]?.includes(after) === true) return true;
    const [kind, name] = before.split(' ');
    const [newKind, newName] = after.split(' ');
    if (kind === 'message' && (after === 'bytes' || newKind === 'message'))
      return after === 'bytes' || this.#messageReads(name, newName);
    if (kind === 'timestamp' && after === 'bytes') return true;
    if (kind === 'enum' && newKind === 'enum') return this.#enumReads(name, newName);
    if (kind === 'enum') return after === 'int32' || after === 'int64';
    return before === 'int32' && newKind === 'enum';
  }

  /** A renamed message: its bytes are the same when no field of it is misread. */
  #messageReads(before: string, after: string): boolean {
    const pair = `${before} ${after}`;
    if (this.#comparing.has(pair)) return true;
    const [was, is] = [this.#before.messages[before], this.#after.messages[after]];
    if (was === undefined || is === undefined) return false;
    this.#comparing.add(pair);
    try {
      return this.#messageChanges(after, was, is).every(({ verdict }) => verdict === 'compatible');
    } finally {
      this.#comparing.delete(pair);
    }
  }

  #enumReads(before: string, after: string): boolean {
    const [was, is] = [this.#before.enums[before], this.#after.enums[after]];
    return (
      was !== undefined &&
      is !== undefined &&
      enumChanges(after, was, is).every(({ verdict }) => verdict === 'compatible')
    );
  }

  #messageChanges(message: string, before: LockedMessage, after: LockedMessage): EvolutionChange[] {
    const found: EvolutionChange[] = [];
    for (const [number, field] of Object.entries(after.fields))
      found.push(...this.#fieldChanges(message, number, field, before));
    for (const [number, { name }] of Object.entries(before.fields)) {
      const renumbered = Object.values(after.fields).some((field) => field.name === name);
      if (after.fields[number] === undefined && !renumbered)
        found.push(
          changeOf(
            'field-removed',
            `${message}.${number}`,
            `'${name}', number ${number}, is removed`,
          ),
        );
    }
    return [...found, ...oneofChanges(message, before, after)];
  }

  #fieldChanges(
    message: string,
    number: string,
    field: LockedField,
    before: LockedMessage,
  ): EvolutionChange[] {
    const at = `${message}.${number}`;
    const reserved = before.reserved?.[number];
    if (reserved !== undefined) {
      const same = reserved.name === field.name && this.#fieldReads(reserved, field);
      return [
        same
          ? changeOf('field-restored', at, `'${field.name}' is declared again`)
          : changeOf(
              'field-number-reused',
              at,
              `'${field.name}' has number ${number}, which was that of '${reserved.name}'`,
            ),
      ];
    }
    const was = before.fields[number];
    if (was === undefined) return [newField(at, number, field, before)];
    const renamed = was.name !== field.name;
    if (this.#fieldReads(was, field)) {
      return [
        ...(renamed ? [changeOf('field-renamed', at, `'${was.name}' is now '${field.name}'`)] : []),
        ...(fieldText(was) === fieldText(field)
          ? []
          : [
              changeOf(
                'field-widened',
                at,
                `'${field.name}' was ${fieldText(was)} and is ${fieldText(field)}`,
              ),
            ]),
      ];
    }
    if (renamed)
      return [
        changeOf(
          'field-number-reused',
          at,
          `'${field.name}', ${fieldText(field)}, has number ${number}, which is that of '${was.name}', ${fieldText(was)}`,
        ),
      ];
    const rule = was.label !== field.label ? 'field-label' : 'field-type';
    return [changeOf(rule, at, `'${field.name}' was ${fieldText(was)} and is ${fieldText(field)}`)];
  }

  #fieldReads(before: LockedField, after: LockedField): boolean {
    if (!this.reads(before.type, after.type)) return false;
    if (before.label === after.label)
      return before.label !== 'map' || this.reads(before.key ?? '', after.key ?? '');
    // What was written once is a list of one element.
    return before.label === undefined && after.label === 'repeated';
  }
}

function newField(
  at: string,
  number: string,
  field: LockedField,
  before: LockedMessage,
): EvolutionChange {
  const earlier = [...Object.entries(before.fields), ...Object.entries(before.reserved ?? {})].find(
    ([, { name }]) => name === field.name,
  );
  if (earlier === undefined) return changeOf('field-added', at, `'${field.name}' is new`);
  return changeOf(
    'field-renumbered',
    at,
    `'${field.name}' had number ${earlier[0]} and has ${number}`,
  );
}

function fieldText({ type, label, key }: LockedField): string {
  if (label === 'map') return `map<${key}, ${type}>`;
  return label === 'repeated' ? `repeated ${type}` : type;
}

/**
 * One stored field may move into a new oneof; a second one there, or one that others share, could
 * be stored beside it.
 */
function oneofChanges(
  message: string,
  before: LockedMessage,
  after: LockedMessage,
): EvolutionChange[] {
  const oneofs = new Set(Object.values(after.fields).flatMap(({ oneof }) => oneof ?? []));
  return [...oneofs].flatMap((oneof) => {
    const stored = Object.entries(after.fields).filter(
      ([number, field]) => field.oneof === oneof && before.fields[number] !== undefined,
    );
    const groups = new Set(
      stored.map(([number]) => before.fields[number].oneof ?? `alone ${number}`),
    );
    if (groups.size < 2) return [];
    return [
      changeOf(
        'oneof-joined',
        `${message}.${oneof}`,
        `the oneof '${oneof}' now holds ${stored.map(([, { name }]) => `'${name}'`).join(', ')}, which could be stored together before`,
      ),
    ];
  });
}

function enumChanges(name: string, before: LockedEnum, after: LockedEnum): EvolutionChange[] {
  const numbers = new Set(Object.values(after.values));
  const found: EvolutionChange[] = [];
  for (const [member, number] of Object.entries(before.values)) {
    const now = after.values[member];
    if (now !== undefined && now !== number)
      found.push(
        changeOf(
          'enum-value-renumbered',
          `${name}.${member}`,
          `${member} was ${number} and is ${now}`,
        ),
      );
    else if (!numbers.has(number))
      found.push(
        changeOf('enum-value-removed', `${name}.${member}`, `${member} = ${number} is removed`),
      );
    else if (now === undefined)
      found.push(
        changeOf(
          'enum-value-renamed',
          `${name}.${member}`,
          `${member} = ${number} has another name`,
        ),
      );
  }
  const known = new Map(
    [...Object.entries(before.values), ...Object.entries(before.reserved ?? {})].map(
      ([member, number]) => [number, member],
    ),
  );
  for (const [member, number] of Object.entries(after.values)) {
    if (before.values[member] !== undefined) continue;
    const reserved = Object.entries(before.reserved ?? {}).find(([, was]) => was === number)?.[0];
    if (reserved !== undefined && reserved !== member)
      found.push(
        changeOf(
          'enum-value-renumbered',
          `${name}.${member}`,
          `${member} has ${number}, which was ${reserved}`,
        ),
      );
    else if (!known.has(number))
      found.push(changeOf('enum-value-added', `${name}.${member}`, `${member} = ${number} is new`));
  }
  return found;
}
