/** Changes of a row key. */
import type { FaultTexts, ProblemText } from '../../../base/index.js';
import { changeOf, type EvolutionChange, type EvolutionRuleName } from './evolution-rule.js';
import type { LockedKey, LockedPart } from '../lock/lock.js';

type Segment = Extract<LockedPart, { readonly segment: string }>;
/** Creates a change of one rule. */
export type ChangeOf = (rule: EvolutionRuleName, fault: ProblemText) => EvolutionChange;

/** The changes from one key to another; `entity` is for the names of the changes. */
export function keyChanges(entity: string, before: LockedKey, after: LockedKey): EvolutionChange[] {
  const change: ChangeOf = (rule, fault) => changeOf(rule, `${entity}.key`, fault);
  if (before.format !== after.format)
    return [change('key-format', faults.changedFormat(before.format, after.format))];
  const changes = structureChanges(before.parts, after.parts, change);
  if (changes.length === 0)
    before.parts.forEach((part, i) =>
      changes.push(...partChanges(before.format, part, after.parts[i], change)),
    );
  return [...changes, ...shardChanges(before, after, change)];
}

function isLiteral(part: LockedPart): part is { readonly literal: string } {
  return 'literal' in part && typeof part.literal === 'string';
}

function partName(part: LockedPart): string {
  return isLiteral(part) ? `literal('${part.literal}')` : `'${part.segment}'`;
}

/** Parts that were added, removed or reordered; empty if the parts only changed individually. */
function structureChanges(
  before: readonly LockedPart[],
  after: readonly LockedPart[],
  change: ChangeOf,
): EvolutionChange[] {
  const oldNames = before.map(partName);
  const newNames = after.map(partName);
  if (before.length > after.length) {
    const removed = oldNames.filter((name) => !newNames.includes(name));
    return [change('segment-removed', faults.partRemoved(removed))];
  }
  if (before.length < after.length) {
    const added = newNames.filter((name) => !oldNames.includes(name));
    return [change('segment-added', faults.partAdded(added))];
  }
  const sameKinds = before.every((part, i) => isLiteral(part) === isLiteral(after[i]));
  const moved = newNames.some((name, i) => name !== oldNames[i] && oldNames.includes(name));
  if (sameKinds && !moved) return [];
  const problem = `the key was ${oldNames.join(', ')} and is ${newNames.join(', ')}`;
  return [change('segment-reordered', { problem })];
}

function partNames(names: readonly string[]): string {
  return names.length === 0 ? 'a part' : names.join(', ');
}

function partChanges(
  format: string,
  before: LockedPart,
  after: LockedPart,
  change: ChangeOf,
): EvolutionChange[] {
  const oldName = partName(before);
  const newName = partName(after);
  if (isLiteral(before) || isLiteral(after)) {
    if (oldName === newName) return [];
    return [change('literal-renamed', faults.partReplaced(oldName, newName))];
  }
  const changes = encodingChanges(format, before, after, change);
  if (oldName === newName) return changes;
  return [change('segment-renamed', faults.partReplaced(oldName, newName)), ...changes];
}

/** Options that limit values: keys beyond the limit are not read. */
const limits = ['max', 'maxLength'];

function limitsOf(format: string, { kind }: Segment): readonly string[] {
  // In the ordered format, integers have variable length, and their width is only a limit.
  if (format === 'ordered' && kind !== 'bigint' && kind !== 'reversedId')
    return [...limits, 'width'];
  return limits;
}

/** The changes of how the values of a segment are encoded. */
export function encodingChanges(
  format: string,
  before: Segment,
  after: Segment,
  change: ChangeOf,
): EvolutionChange[] {
  const limiting = limitsOf(format, before);
  const options = new Set([...Object.keys(before), ...Object.keys(after)]);
  const name = `'${after.segment}'`;
  const encoded = [...options].filter(
    (option) =>
      option !== 'segment' &&
      option !== 'values' &&
      !limiting.includes(option) &&
      before[option] !== after[option],
  );
  if (encoded.length > 0) {
    const texts = encoded.map(
      (option) => `${option} was ${optionText(before[option])} and is ${optionText(after[option])}`,
    );
    return [change('segment-encoded', faults.optionsChanged(name, texts.join(', ')))];
  }
  return [
    ...limiting.flatMap((option) => limitChanges(option, before, after, change)),
    ...memberChanges(before, after, change),
  ];
}

function optionText(value: unknown): string {
  return value === undefined ? 'the default' : JSON.stringify(value);
}

function limitChanges(
  option: string,
  { [option]: before }: Segment,
  { [option]: after, segment }: Segment,
  change: ChangeOf,
): EvolutionChange[] {
  if (before === after) return [];
  const raised =
    after === undefined ||
    (typeof before === 'number' && typeof after === 'number' && after > before);
  const rule = raised ? 'segment-widened' : 'segment-narrowed';
  const texts = `was ${optionText(before)} and is ${optionText(after)}`;
  return [change(rule, faults.segmentOptionChanged(segment, option, texts))];
}

function memberChanges(before: Segment, after: Segment, change: ChangeOf): EvolutionChange[] {
  const oldMembers = (before.values ?? []) as readonly string[];
  const newMembers = (after.values ?? []) as readonly string[];
  if (oldMembers.join('\0') === newMembers.join('\0')) return [];
  const name = `'${after.segment}'`;
  const removed = oldMembers.filter((member) => !newMembers.includes(member));
  if (removed.length > 0)
    return [change('segment-narrowed', faults.membersRemoved(name, removed.join(', ')))];
  const texts = `the members were ${oldMembers.join(', ')} and are ${newMembers.join(', ')}`;
  const renumbered = oldMembers.some((member, i) => newMembers[i] !== member);
  if (before.by === 'ordinal' && renumbered)
    return [change('segment-encoded', faults.membersReordered(name, texts))];
  return [change('segment-widened', faults.optionsChanged(name, texts))];
}

function shardChanges(before: LockedKey, after: LockedKey, change: ChangeOf): EvolutionChange[] {
  const oldShards = shardText(before);
  const newShards = shardText(after);
  if (oldShards === newShards) return [];
  return [change('shards-changed', faults.shardsChanged(oldShards, newShards))];
}

/** Names segments by position, because a renamed segment is hashed as before. */
function shardText({ shards, parts }: LockedKey): string {
  if (shards === undefined) return 'no shards';
  const positions = shards.by.map(
    (name) => parts.findIndex((part) => !isLiteral(part) && part.segment === name) + 1,
  );
  return `${shards.count} shards by part ${positions.join(' and ')}`;
}

const faults = {
  changedFormat: (beforeFormat: string, afterFormat: string) => ({
    problem: `the key format was ${beforeFormat} and is ${afterFormat}`,
  }),
  partRemoved: (removed: readonly string[]) => ({
    problem: `${partNames(removed)} was removed from the key`,
  }),
  partAdded: (added: readonly string[]) => ({ problem: `${partNames(added)} is new in the key` }),
  partReplaced: (oldName: string, newName: string) => ({ problem: `${oldName} is now ${newName}` }),
  optionsChanged: (name: string, list: string) => ({ problem: `${name}: ${list}` }),
  segmentOptionChanged: (segment: string, option: string, texts: string) => ({
    problem: `'${segment}': ${option} ${texts}`,
  }),
  membersRemoved: (name: string, list: string) => ({
    problem: `${name} no longer has the members ${list}`,
  }),
  membersReordered: (name: string, texts: string) => ({
    problem: `${name} is encoded by ordinal, and ${texts}`,
  }),
  shardsChanged: (oldShards: string, newShards: string) => ({
    problem: `the key had ${oldShards} and has ${newShards}`,
  }),
} satisfies FaultTexts;
