/**
 * Changes of messages and enums. Compatible are the changes that protobuf allows and that keep
 * every stored value.
 */
import { quotedList, type FaultTexts } from '../../../base/index.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import type { Lock, LockedEnum, LockedField, LockedMessage } from '../lock/lock.js';

/**
 * The types to which the type of a field may change: they read every stored value as the same
 * value. From "Updating A Message Type" in protobuf's language guide, without the changes that
 * truncate or change values, such as int64 to int32 or fixed32 to sfixed32.
 */
const widenedTypes: Readonly<Record<string, readonly string[]>> = {
  bool: ['int32', 'uint32', 'int64', 'uint64'],
  int32: ['int64'],
  uint32: ['uint64', 'int64'],
  sint32: ['sint64'],
  string: ['bytes'],
};

/** Compares the messages and enums of two locks. */
export class MessageEvolution {
  readonly #before: Lock;
  readonly #after: Lock;
  /** Pairs of messages that are being compared: a message may contain itself. */
  readonly #comparing = new Set<string>();

  constructor(before: Lock, after: Lock) {
    this.#before = before;
    this.#after = after;
  }

  /** All changes of messages and enums. */
  changes(): EvolutionChange[] {
    const found: EvolutionChange[] = [];
    for (const [name, message] of Object.entries(this.#after.messages)) {
      const was = this.#before.messages[name];
      if (was === undefined) found.push(changeOf('message-added', name, faults.newMessage(name)));
      else found.push(...this.#messageChanges(name, was, message));
    }
    for (const [name, members] of Object.entries(this.#after.enums)) {
      const was = this.#before.enums[name];
      if (was === undefined) found.push(changeOf('message-added', name, faults.newEnum(name)));
      else found.push(...enumChanges(name, was, members));
    }
    return found;
  }

  /**
   * True if type `after` reads every value of type `before` as the same value. Types are as in the
   * lock.
   */
  reads(before: string, after: string): boolean {
    if (before === after || widenedTypes[before]?.includes(after) === true) return true;
    const [kind, name] = before.split(' ');
    const [newKind, newName] = after.split(' ');
    if (kind === 'message' && (after === 'bytes' || newKind === 'message'))
      return after === 'bytes' || this.#messageReads(name, newName);
    if (kind === 'timestamp' && after === 'bytes') return true;
    if (kind === 'enum' && newKind === 'enum') return this.#enumReads(name, newName);
    if (kind === 'enum') return after === 'int32' || after === 'int64';
    return before === 'int32' && newKind === 'enum';
  }

  /** For messages with different names: true if no field is misread. */
  #messageReads(before: string, after: string): boolean {
    const pair = `${before} ${after}`;
    if (this.#comparing.has(pair)) return true;
    const was = this.#before.messages[before];
    const is = this.#after.messages[after];
    if (was === undefined || is === undefined) return false;
    this.#comparing.add(pair);
    try {
      return this.#messageChanges(after, was, is).every(({ verdict }) => verdict === 'compatible');
    } finally {
      this.#comparing.delete(pair);
    }
  }

  #enumReads(before: string, after: string): boolean {
    const was = this.#before.enums[before];
    const is = this.#after.enums[after];
    return (
      was !== undefined &&
      is !== undefined &&
      enumChanges(after, was, is).every(({ verdict }) => verdict === 'compatible')
    );
  }

  #messageChanges(message: string, before: LockedMessage, after: LockedMessage): EvolutionChange[] {
    const changes: EvolutionChange[] = [];
    for (const [number, field] of Object.entries(after.fields))
      changes.push(...this.#fieldChanges(message, number, field, before));
    const names = new Set(Object.values(after.fields).map(({ name }) => name));
    for (const [number, { name }] of Object.entries(before.fields)) {
      if (after.fields[number] !== undefined || names.has(name)) continue;
      const problem = `'${name}', number ${number}, is removed`;
      changes.push(changeOf('field-removed', `${message}.${number}`, { problem }));
    }
    changes.push(...oneofChanges(message, before, after));
    return changes;
  }

  #fieldChanges(
    message: string,
    number: string,
    field: LockedField,
    before: LockedMessage,
  ): EvolutionChange[] {
    const at = `${message}.${number}`;
    const reserved = before.reserved?.[number];
    if (reserved !== undefined) return [this.#restoredField(at, number, field, reserved)];
    const was = before.fields[number];
    if (was === undefined) return [newField(at, number, field, before)];
    const oldType = fieldText(was);
    const newType = fieldText(field);
    const typeProblem = `'${field.name}' was ${oldType} and is ${newType}`;
    if (this.#fieldReads(was, field)) {
      const changes: EvolutionChange[] = [];
      if (was.name !== field.name)
        changes.push(changeOf('field-renamed', at, faults.renamedField(was.name, field.name)));
      if (oldType !== newType)
        changes.push(changeOf('field-widened', at, { problem: typeProblem }));
      return changes;
    }
    if (was.name !== field.name) {
      const problem = `'${field.name}', ${newType}, has number ${number} of '${was.name}', ${oldType}`;
      return [changeOf('field-number-reused', at, { problem })];
    }
    const rule = was.label === field.label ? 'field-type' : 'field-label';
    return [changeOf(rule, at, { problem: typeProblem })];
  }

  /** The change of a field with the number of a removed field. */
  #restoredField(
    at: string,
    number: string,
    field: LockedField,
    reserved: LockedField,
  ): EvolutionChange {
    if (reserved.name === field.name && this.#fieldReads(reserved, field))
      return changeOf('field-restored', at, faults.restoredField(field.name));
    const problem = `'${field.name}' has number ${number}, which '${reserved.name}' had`;
    return changeOf('field-number-reused', at, { problem });
  }

  #fieldReads(before: LockedField, after: LockedField): boolean {
    if (!this.reads(before.type, after.type)) return false;
    if (before.label === after.label)
      return before.label !== 'map' || this.reads(before.key ?? '', after.key ?? '');
    // A stored singular field is read as a list of one element.
    return before.label === undefined && after.label === 'repeated';
  }
}

function newField(
  at: string,
  number: string,
  field: LockedField,
  before: LockedMessage,
): EvolutionChange {
  const known = [...Object.entries(before.fields), ...Object.entries(before.reserved ?? {})];
  const earlier = known.find(([, { name }]) => name === field.name);
  if (earlier === undefined) return changeOf('field-added', at, faults.newField(field.name));
  const [oldNumber] = earlier;
  const problem = `'${field.name}' had number ${oldNumber} and has ${number}`;
  return changeOf('field-renumbered', at, { problem });
}

function fieldText({ type, label, key }: LockedField): string {
  if (label === 'map') return `map<${key}, ${type}>`;
  if (label === 'repeated') return `repeated ${type}`;
  return type;
}

/**
 * A single stored field may move into a new oneof. Several could be stored in one message, unless
 * they were in one oneof before.
 */
function oneofChanges(
  message: string,
  before: LockedMessage,
  after: LockedMessage,
): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  const oneofs = new Set(Object.values(after.fields).flatMap(({ oneof }) => oneof ?? []));
  for (const oneof of oneofs) {
    const stored = Object.entries(after.fields).filter(
      ([number, field]) => field.oneof === oneof && before.fields[number] !== undefined,
    );
    const groups = new Set(
      stored.map(([number]) => before.fields[number].oneof ?? `alone ${number}`),
    );
    if (groups.size < 2) continue;
    const names = quotedList(stored.map(([, { name }]) => name));
    const problem = `the oneof '${oneof}' now contains ${names}, which could be stored together before`;
    changes.push(changeOf('oneof-joined', `${message}.${oneof}`, { problem }));
  }
  return changes;
}

function enumChanges(name: string, before: LockedEnum, after: LockedEnum): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  const numbers = new Set(Object.values(after.values));
  for (const [member, number] of Object.entries(before.values)) {
    const at = `${name}.${member}`;
    const now = after.values[member];
    if (now !== undefined && now !== number)
      changes.push(
        changeOf('enum-value-renumbered', at, faults.renumberedMember(member, number, now)),
      );
    else if (!numbers.has(number))
      changes.push(changeOf('enum-value-removed', at, faults.removedMember(member, number)));
    else if (now === undefined)
      changes.push(changeOf('enum-value-renamed', at, faults.renamedMember(member, number)));
  }
  const reserved = Object.entries(before.reserved ?? {});
  const knownNumbers = new Set([...Object.entries(before.values), ...reserved].map(([, n]) => n));
  for (const [member, number] of Object.entries(after.values)) {
    if (before.values[member] !== undefined) continue;
    const at = `${name}.${member}`;
    const removed = reserved.find(([, each]) => each === number)?.[0];
    if (removed !== undefined && removed !== member)
      changes.push(
        changeOf('enum-value-renumbered', at, faults.reusedNumber(member, number, removed)),
      );
    else if (!knownNumbers.has(number))
      changes.push(changeOf('enum-value-added', at, faults.newMember(member, number)));
  }
  return changes;
}

const faults = {
  newMessage: (name: string) => ({ problem: `message ${name} is new` }),
  newEnum: (name: string) => ({ problem: `enum ${name} is new` }),
  renamedField: (wasName: string, fieldName: string) => ({
    problem: `'${wasName}' is now '${fieldName}'`,
  }),
  restoredField: (name: string) => ({ problem: `'${name}' is declared again` }),
  newField: (name: string) => ({ problem: `'${name}' is new` }),
  renumberedMember: (member: string, number: number, now: number) => ({
    problem: `${member} was ${number} and is ${now}`,
  }),
  removedMember: (member: string, number: number) => ({
    problem: `${member} = ${number} is removed`,
  }),
  renamedMember: (member: string, number: number) => ({
    problem: `${member} = ${number} has another name`,
  }),
  reusedNumber: (member: string, number: number, removed: string) => ({
    problem: `${member} has ${number}, which was ${removed}`,
  }),
  newMember: (member: string, number: number) => ({ problem: `${member} = ${number} is new` }),
} satisfies FaultTexts;
