/** What clients announce in the header `bigtable-features` (feature_flags.proto). */
import type { FaultTexts } from '../../base/index.js';
import { FeatureFlags, unsupportedRequest } from '../../engines/protocol/index.js';
import type { RequestHeader } from '../rpc.js';

/** Throws UNSUPPORTED for a reversed read of a client that does not announce them. */
export function assertReverseScans(header: RequestHeader): void {
  if (decodeFlags(header('bigtable-features')).reverseScans === true) return;
  throw unsupportedRequest('reversed', faults.missingFeatureFlag);
}

/** The flags, in web-safe base64; none if the header is absent or cannot be decoded. */
function decodeFlags(text: string | undefined): ReturnType<typeof FeatureFlags.decode> {
  if (text === undefined) return {};
  try {
    return FeatureFlags.decode(Buffer.from(text, 'base64url'));
  } catch {
    return {};
  }
}

const faults = {
  missingFeatureFlag: {
    problem: 'Reversed reads need FeatureFlags.reverse_scans in the header bigtable-features.',
  },
} satisfies FaultTexts;
