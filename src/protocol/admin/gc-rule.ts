/** GcRule of the admin API <-> GcRule of the store. */
import { unknownFields } from '../../cell/index.js';
import type { GcRule } from '../../store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import { GcRuleMessage, type GcRuleContent } from '../messages/table-messages.js';

/** google/bigtable/admin/v2/table.proto, ColumnFamily.gc_rule. */
const mostBytes = 500;

/**
 * The rule of an encoded GcRule; undefined when it keeps everything (no rule set, an empty union or
 * intersection).
 */
export function readGcRule(encoded: Uint8Array | undefined): GcRule | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.length > mostBytes)
    throw requestError(
      'gc_rule',
      `The serialized rule has ${encoded.length} bytes, the limit is ${mostBytes}.`,
    );
  return ruleOf(GcRuleMessage.decode(encoded));
}

function ruleOf(message: GcRuleContent): GcRule | undefined {
  const { maxNumVersions, maxAge, intersection, union } = message;
  if (maxNumVersions !== undefined) return { kind: 'maxVersions', versions: maxNumVersions };
  if (maxAge !== undefined) {
    const { seconds = 0n, nanos = 0 } = maxAge;
    const micros = Number(seconds) * 1_000_000 + Math.floor(nanos / 1000);
    if (!Number.isSafeInteger(micros)) throw requestError('gc_rule', 'max_age is out of range.');
    return { kind: 'maxAge', micros };
  }
  // An empty union or intersection stands as it is: inside others it keeps everything, too.
  if (union !== undefined) return { kind: 'union', rules: rulesOf(union.rules) };
  if (intersection !== undefined)
    return { kind: 'intersection', rules: rulesOf(intersection.rules) };
  if (unknownFields in message)
    throw unsupportedRequest('gc_rule', 'The rule is of a kind that this server does not know.');
  return undefined;
}

function rulesOf(messages: readonly GcRuleContent[] = []): GcRule[] {
  return messages.map((message) => ruleOf(message) ?? { kind: 'union', rules: [] });
}

/** The message of a rule. */
export function gcRuleBytes(rule: GcRule): Uint8Array {
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
