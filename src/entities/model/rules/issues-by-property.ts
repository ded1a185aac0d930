/** Puts the issues of all validators into one list. */
import type { EntityModel } from '../model.js';
import type { Issues, ValidationIssue } from './declared-rules.js';

/**
 * All issues in the order of segments and columns, issues of the whole entity last. The issues of
 * a single validator stay in its order.
 */
export function byProperty({ segments, columns }: EntityModel, lists: readonly Issues[]): Issues {
  const found = lists.filter((list) => list !== undefined);
  if (found.length < 2) return found[0];
  const order = [...segments, ...columns].map(({ property }) => property);
  const rank = ({ path }: ValidationIssue): number => {
    const at = order.indexOf(/^[^.[]*/.exec(path)![0]);
    return at < 0 ? order.length : at;
  };
  const ranked = found.flat().map((issue) => ({ issue, at: rank(issue) }));
  return ranked.sort((a, b) => a.at - b.at).map(({ issue }) => issue);
}
