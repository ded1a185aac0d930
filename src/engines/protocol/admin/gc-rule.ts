/** GcRule messages of the admin API <-> GcRule of the store layer. */
import { maxGcRuleBytes, type FaultTexts } from '../../../base/index.js';
import { unknownFields } from '../../../data/cell/index.js';
import type { GcRule } from '../../../data/store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { GcRuleMessage, type GcRuleContent } from '../messages/table-messages.js';

/** The rule of an encoded GcRule; undefined if there is none or it is empty: nothing is deleted. */
export function decodeGcRule(encoded: Uint8Array | undefined): GcRule | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.length > maxGcRuleBytes)
    throw requestError('gc_rule', faults.ruleTooLong(encoded.length));
  return ruleOf(GcRuleMessage.decode(encoded));
}

function ruleOf(message: GcRuleContent): GcRule | undefined {
  const { maxNumVersions, maxAge, intersection, union } = message;
  if (maxNumVersions !== undefined) return { kind: 'maxVersions', versions: maxNumVersions };
  if (maxAge !== undefined) {
    const { seconds = 0n, nanos = 0 } = maxAge;
    const micros = Number(seconds) * 1_000_000 + Math.floor(nanos / 1000);
    if (!Number.isSafeInteger(micros)) throw requestError('gc_rule', faults.ageOutOfRange);
    return { kind: 'maxAge', micros };
  }
  // Empty unions and intersections are kept: they delete nothing.
  if (union !== undefined) return { kind: 'union', rules: rulesOf(union.rules) };
  if (intersection !== undefined)
    return { kind: 'intersection', rules: rulesOf(intersection.rules) };
  if (unknownFields in message) throw unsupportedRequest('gc_rule', faults.unknownKind);
  return undefined;
}

function rulesOf(messages: readonly GcRuleContent[] = []): GcRule[] {
  return messages.map((message) => ruleOf(message) ?? { kind: 'union', rules: [] });
}

/** The encoded message of a rule; without one an empty GcRule. */
export function encodeGcRule(rule: GcRule | undefined): Uint8Array {
  if (rule === undefined) return GcRuleMessage.encode({});
  return GcRuleMessage.encode(messageOf(rule));
}

function messageOf(rule: GcRule): GcRuleContent {
  switch (rule.kind) {
    case 'maxVersions':
      return { maxNumVersions: rule.versions };
    case 'maxAge':
      return {
        maxAge: {
          seconds: BigInt(Math.floor(rule.micros / 1_000_000)),
          nanos: (rule.micros % 1_000_000) * 1000,
        },
      };
    case 'union':
      return { union: { rules: rule.rules.map(messageOf) } };
    case 'intersection':
      return { intersection: { rules: rule.rules.map(messageOf) } };
  }
}

const faults = {
  ruleTooLong: (length: number) => ({
    problem: `The serialized rule has ${length} bytes, the limit is ${maxGcRuleBytes}.`,
  }),
  ageOutOfRange: {
    problem: 'max_age is out of range: this server stores at most 2^53 - 1 microseconds.',
  },
  unknownKind: { problem: 'The rule is of a kind that this server does not know.' },
} satisfies FaultTexts;
