/** Changes of a row key. */
import { changeOf, type EvolutionChange, type EvolutionRuleName } from './evolution-rule.js';
import type { LockedKey, LockedPart } from './lock.js';

type Segment = Extract<LockedPart, { readonly segment: string }>;

/** What changed from one key to another; `entity` is for the names of the changes. */
export function keyChanges(entity: string, before: LockedKey, after: LockedKey): EvolutionChange[] {
  const at = `${entity}.key`;
  const change = (rule: EvolutionRuleName, problem: string): EvolutionChange =>
    changeOf(rule, at, problem);
  if (before.format !== after.format)
    return [change('key-format', `the key format was ${before.format} and is ${after.format}`)];
  const moved = movedParts(before.parts, after.parts, change);
  const shards = shardChanges(before, after, change);
  if (moved.length > 0) return [...moved, ...shards];
  return [
    ...before.parts.flatMap((part, i) => partChanges(before.format, part, after.parts[i], at)),
    ...shards,
  ];
}

function isLiteral(part: LockedPart): part is { readonly literal: string } {
  return 'literal' in part && typeof part.literal === 'string';
}

function partName(part: LockedPart): string {
  return isLiteral(part) ? `literal('${part.literal}')` : `'${part.segment}'`;
}

/** Parts that came, went or changed places; empty when every part stands where it stood. */
function movedParts(
  before: readonly LockedPart[],
  after: readonly LockedPart[],
  change: (rule: EvolutionRuleName, problem: string) => EvolutionChange,
): EvolutionChange[] {
  const [were, are] = [before.map(partName), after.map(partName)];
  if (before.length === after.length) {
    const sameForms = before.every((part, i) => isLiteral(part) === isLiteral(after[i]));
    const places = are.some((name, i) => name !== were[i] && were.includes(name));
    return places || !sameForms
      ? [change('segment-reordered', `the key was ${were.join(', ')} and is ${are.join(', ')}`)]
      : [];
  }
  const shorter = before.length > after.length;
  const names = shorter
    ? were.filter((name) => !are.includes(name))
    : are.filter((name) => !were.includes(name));
  const which = names.length === 0 ? 'a part' : names.join(', ');
  return [
    shorter
      ? change('segment-removed', `${which} was in the key and is not any more`)
      : change('segment-added', `${which} is new in the key`),
  ];
}

function partChanges(
  format: string,
  before: LockedPart,
  after: LockedPart,
  at: string,
): EvolutionChange[] {
  if (isLiteral(before) || isLiteral(after)) {
    const [was, is] = [partName(before), partName(after)];
    return was === is ? [] : [changeOf('literal-renamed', at, `${was} is now ${is}`)];
  }
  const renamed =
    before.segment === after.segment
      ? []
      : [changeOf('segment-renamed', at, `'${before.segment}' is now '${after.segment}'`)];
  return [...renamed, ...encodingChanges(format, before, after, at)];
}

/** Options that are limits: what lies past them is not read. */
const limits = ['max', 'maxLength'];

function encodingChanges(
  format: string,
  before: Segment,
  after: Segment,
  at: string,
): EvolutionChange[] {
  // Binary integers are as long as they have to be: a width there is only a limit.
  const limiting =
    format === 'ordered' && before.kind !== 'bigint' && before.kind !== 'reversedId'
      ? [...limits, 'width']
      : limits;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== 'segment',
  );
  const name = `'${after.segment}'`;
  const encoded = names.filter(
    (option) =>
      option !== 'values' && !limiting.includes(option) && before[option] !== after[option],
  );
  if (encoded.length > 0) {
    const texts = encoded.map(
      (option) => `${option} was ${optionText(before[option])} and is ${optionText(after[option])}`,
    );
    return [changeOf('segment-encoded', at, `${name}: ${texts.join(', ')}`)];
  }
  return [
    ...limiting.flatMap((option) => limitChange(option, before[option], after[option], name, at)),
    ...memberChanges(before, after, name, at),
  ];
}

function optionText(value: unknown): string {
  return value === undefined ? 'the default' : JSON.stringify(value);
}

function limitChange(
  option: string,
  before: unknown,
  after: unknown,
  name: string,
  at: string,
): EvolutionChange[] {
  if (before === after) return [];
  const raised =
    after === undefined ||
    (typeof before === 'number' && typeof after === 'number' && after > before);
  return [
    changeOf(
      raised ? 'segment-widened' : 'segment-narrowed',
      at,
      `${name}: ${option} was ${optionText(before)} and is ${optionText(after)}`,
    ),
  ];
}

function memberChanges(
  before: Segment,
  after: Segment,
  name: string,
  at: string,
): EvolutionChange[] {
  const [were, are] = [
    (before.values ?? []) as readonly string[],
    (after.values ?? []) as readonly string[],
  ];
  if (were.join('\0') === are.join('\0')) return [];
  const byOrdinal = before.by === 'ordinal';
  const gone = were.filter((member) => !are.includes(member));
  if (gone.length > 0)
    return [changeOf('segment-narrowed', at, `${name} has lost ${gone.join(', ')}`)];
  if (byOrdinal && were.some((member, i) => are[i] !== member)) {
    return [
      changeOf(
        'segment-encoded',
        at,
        `${name} is written by ordinal, and its members were ${were.join(', ')} and are ${are.join(', ')}`,
      ),
    ];
  }
  return [
    changeOf(
      'segment-widened',
      at,
      `${name} has members ${are.join(', ')}, before ${were.join(', ')}`,
    ),
  ];
}

function shardChanges(
  before: LockedKey,
  after: LockedKey,
  change: (rule: EvolutionRuleName, problem: string) => EvolutionChange,
): EvolutionChange[] {
  const [was, is] = [shardText(before), shardText(after)];
  return was === is ? [] : [change('shards-changed', `the key had ${was} and has ${is}`)];
}

/** Segments by their places: a renamed segment is hashed as before. */
function shardText({ shards, parts }: LockedKey): string {
  if (shards === undefined) return 'no shards';
  const places = shards.by.map(
    (name) => parts.findIndex((part) => !isLiteral(part) && part.segment === name) + 1,
  );
  return `${shards.count} shards by part ${places.join(' and ')}`;
}
