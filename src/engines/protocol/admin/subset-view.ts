/** AuthorizedView.SubsetView -> SubsetView. */
import {
  latin1Text,
  maxQualifierBytes,
  maxRowKeyBytes,
  type FaultTexts,
} from '../../../base/index.js';
import type { ContentOf } from '../../../data/cell/index.js';
import type { SubsetView } from '../../../data/store/index.js';
import type { SubsetViewMessage } from '../messages/view-messages.js';
import { requestError } from '../request-error.js';

/**
 * Distinct prefixes of qualifiers in all families of a view together
 * (cloud.google.com/bigtable/docs/authorized-views).
 */
const maxQualifierPrefixes = 10;

/** INVALID_ARGUMENT for a view that Bigtable does not accept. */
export function decodeSubsetView({
  rowPrefixes = [],
  familySubsets = new Map(),
}: ContentOf<typeof SubsetViewMessage>): SubsetView {
  if (rowPrefixes.some(({ length }) => length > maxRowKeyBytes))
    throw requestError('subset_view.row_prefixes', faults.longPrefix);
  const prefixes = new Set<string>();
  const families = new Map<string, { qualifiers: Uint8Array[]; qualifierPrefixes: Uint8Array[] }>();
  for (const [family, { qualifiers = [], qualifierPrefixes = [] }] of familySubsets) {
    if (family === '') throw requestError('subset_view.family_subsets', faults.missingFamily);
    if ([...qualifiers, ...qualifierPrefixes].some(({ length }) => length > maxQualifierBytes))
      throw requestError('subset_view.family_subsets', faults.longQualifier(family));
    for (const prefix of qualifierPrefixes) prefixes.add(latin1Text(prefix));
    families.set(family, { qualifiers, qualifierPrefixes });
  }
  if (prefixes.size > maxQualifierPrefixes)
    throw requestError('subset_view.family_subsets', faults.tooManyPrefixes(prefixes.size));
  return { rowPrefixes, families };
}

const faults = {
  longPrefix: { problem: `A row prefix is longer than ${maxRowKeyBytes} bytes` },
  missingFamily: { problem: 'A family must be named' },
  longQualifier: (family: string) => ({
    problem: `A qualifier of family '${family}' is longer than ${maxQualifierBytes} bytes`,
  }),
  tooManyPrefixes: (count: number) => ({
    problem: `The view has ${count} qualifier prefixes, the limit is ${maxQualifierPrefixes}.`,
  }),
} satisfies FaultTexts;
