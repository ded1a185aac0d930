/**
 * Whether keys of two entities in one table could be the same key. Conservative: what is not
 * provably apart collides.
 */
import type { Field } from '../kinds/field.js';
import { notAValue } from '../encoding/segment-value-error.js';
import type { KeyCodec, KeyPart, KeySpec } from './key-codec.js';
import type { KeyFormat } from '../kinds/key-format.js';
import { segmentField } from '../kinds/segment-field.js';
import { shardWidth } from './shard.js';

/** A part as the proof sees it: a constant, a field, or the digits of a shard. */
type Place =
  | { readonly kind: 'literal'; readonly text: string }
  | {
      readonly kind: 'segment';
      readonly name: string;
      readonly field: Field;
      readonly nullable: boolean;
    }
  | { readonly kind: 'shard'; readonly count: number };

/**
 * Why a key of `a` could be a key of `b`, with the parts where they could meet; undefined when that
 * cannot be.
 */
export function patternsCollide(a: KeyCodec, b: KeyCodec): string | undefined {
  if (!sameFormat(a.spec.format, b.spec.format))
    return 'The keys are written in different formats, so the same bytes could be a key of both.';
  const places = [placesOf(a.spec), placesOf(b.spec)] as const;
  const [short, long] = places[0].length <= places[1].length ? places : [places[1], places[0]];
  // Only the ordered format leaves parts out, and only empty ones at the end.
  if (
    long.length > short.length &&
    (a.spec.format !== 'ordered' || long.slice(short.length).some(neverEmpty))
  )
    return undefined;
  if (short.some((place, i) => apart(place, long[i]))) return undefined;
  const meeting = short.map(
    (place, i) => `${shown(places[0][i] ?? place)} and ${shown(places[1][i] ?? long[i])}`,
  );
  return `Each of the ${short.length} parts can hold the same bytes in both keys: ${meeting.join('; ')}.`;
}

function sameFormat(a: KeyFormat, b: KeyFormat): boolean {
  return typeof a === 'object' && typeof b === 'object' ? a.delimiter === b.delimiter : a === b;
}

function placesOf({ parts, format, shards }: KeySpec): Place[] {
  const places = parts.map((part: KeyPart): Place =>
    part.kind === 'literal'
      ? part
      : {
          kind: 'segment',
          name: part.name,
          field: segmentField(part.type, format),
          nullable: part.type.nullable === true,
        },
  );
  return shards === undefined ? places : [{ kind: 'shard', count: shards.count }, ...places];
}

function neverEmpty(place: Place): boolean {
  return place.kind !== 'segment' || (!place.nullable && place.field.minLength > 0);
}

/** Whether no bytes can stand in both places. */
function apart(a: Place, b: Place): boolean {
  if (a.kind === 'literal') return b.kind === 'literal' ? a.text !== b.text : !canHold(b, a.text);
  if (b.kind === 'literal') return !canHold(a, b.text);
  const [leastA, mostA] = lengths(a);
  const [leastB, mostB] = lengths(b);
  return mostA < leastB || mostB < leastA;
}

/**
 * Raw lengths; escaping maps each raw value to one escaped form, so different raw lengths are
 * different bytes.
 */
function lengths(place: Place): readonly [least: number, most: number] {
  if (place.kind === 'literal')
    return [Buffer.byteLength(place.text), Buffer.byteLength(place.text)];
  if (place.kind === 'shard') return [shardWidth(place.count), shardWidth(place.count)];
  return [
    place.nullable ? 0 : place.field.minLength,
    Math.max(place.field.maxLength, place.nullable ? 2 : 0),
  ];
}

function canHold(place: Place, text: string): boolean {
  if (place.kind === 'literal') return place.text === text;
  if (place.kind === 'shard')
    return (
      /^[0-9]+$/.test(text) && text.length === shardWidth(place.count) && Number(text) < place.count
    );
  // In text, null in a descending segment is '~' and "" in a nullable one '$'; both are left to the
  // reader's raw form and '~' asked apart.
  if (place.nullable && text === '~') return true;
  const bytes = Buffer.from(text);
  return place.field.reader()(bytes, 0, bytes.length) !== notAValue;
}

function shown(place: Place): string {
  if (place.kind === 'literal') return `literal '${place.text}'`;
  return place.kind === 'shard'
    ? `a shard of ${place.count}`
    : `segment '${place.name}' (${place.field.encoding})`;
}
