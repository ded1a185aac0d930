/** The time zone of timestamps that have none in a file. */
import { invalidArgument, literalText, type FaultTexts } from '../../../base/index.js';

/** The offset that is appended to a timestamp: `Z` or `+02:00`. Throws INVALID_ARGUMENT. */
export function zoneOffset(zone: unknown): string | undefined {
  if (zone === undefined) return undefined;
  if (zone === 'UTC') return 'Z';
  if (typeof zone === 'string' && /^[+-]([01]\d|2[0-3]):[0-5]\d$/.test(zone)) return zone;
  throw invalidArgument('zone', faults.unknownZone(literalText(zone)));
}

const faults = {
  unknownZone: (literal: string) => ({
    problem: `the zone is ${literal}`,
    fix: "use 'UTC' or an offset such as '+02:00'; names of zones are not supported",
  }),
} satisfies FaultTexts;
