/** The keys of a table as a line, by size, with the ranges that a query reads. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ExplainedQuery, PlannedRange } from '../../protocol/query.js';
import { counted, grouped } from '../format/numbers.js';
import { clipped } from '../format/value.js';

const width = 1000;
/** So that a range of one row can be seen. */
const leastWidth = 3;

export function KeySpacePicture({ plan }: { readonly plan: ExplainedQuery }): JSX.Element {
  const { space, ranges } = plan;
  const chosen = useSignal<number | undefined>(undefined);
  const placed = ranges.filter(({ from, to }) => from !== undefined && to !== undefined);
  return (
    <figure class="key-space">
      {space === undefined ? (
        <p class="quiet">The back end does not say how large the parts of the table are.</p>
      ) : (
        <svg
          viewBox={`0 0 ${width} 54`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`The keys of the table, with ${counted(ranges.length, 'ranges')} that are read`}
        >
          <rect class="space-all" x={0} y={14} width={width} height={26} rx={3} />
          {space.sections.slice(0, -1).map(({ at, end }) => (
            <line key={end} class="space-section" x1={at * width} x2={at * width} y1={14} y2={40} />
          ))}
          {placed.map((range, i) => (
            <Range key={i} range={range} isChosen={chosen.value === ranges.indexOf(range)} />
          ))}
        </svg>
      )}
      {space !== undefined && (
        <div class="space-ends">
          <span>first key</span>
          <span class="quiet">the table by size, {grouped(space.sections.length)} sections</span>
          <span>{clipped(space.sections.at(-1)?.end || 'last key', 40)}</span>
        </div>
      )}
      <Ranges
        plan={plan}
        onChoose={(at) => {
          chosen.value = at;
        }}
      />
    </figure>
  );
}

interface RangeProps {
  readonly range: PlannedRange;
  readonly isChosen: boolean;
}

function Range({ range, isChosen }: RangeProps): JSX.Element {
  const { from = 0, to = 0, start, end } = range;
  const x = Math.min(from * width, width - leastWidth);
  return (
    <g class={isChosen ? 'space-range is-chosen' : 'space-range'}>
      <title>{`${start} to ${end ?? 'the end'}`}</title>
      <rect x={x} y={8} width={Math.max(leastWidth, (to - from) * width)} height={38} rx={2} />
    </g>
  );
}

interface RangesProps {
  readonly plan: ExplainedQuery;
  readonly onChoose: (at: number | undefined) => void;
}

const listed = 50;

function Ranges({ plan, onChoose }: RangesProps): JSX.Element {
  const { ranges, moreRanges, fanOut } = plan;
  const rest = ranges.length - listed + moreRanges;
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label="Ranges that are read">
      <table class="small-table is-wide">
        <thead>
          <tr>
            {fanOut > 1 && <th scope="col">shard</th>}
            <th scope="col">from</th>
            <th scope="col">to, exclusive</th>
            <th scope="col" class="is-number">
              of the table
            </th>
          </tr>
        </thead>
        <tbody>
          {ranges.slice(0, listed).map(({ shard, start, end, from, to }, i) => (
            <tr key={i} onMouseEnter={() => onChoose(i)} onMouseLeave={() => onChoose(undefined)}>
              {fanOut > 1 && <td>{shard}</td>}
              <td>
                <code>{start === '' ? 'first key' : start}</code>
              </td>
              <td>
                <code>{end ?? 'last key'}</code>
              </td>
              <td class="is-number">{share(from, to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p class="quiet">and {grouped(rest)} more</p>}
    </div>
  );
}

function share(from: number | undefined, to: number | undefined): string {
  if (from === undefined || to === undefined) return '';
  const percent = (to - from) * 100;
  if (percent === 0) return 'in one section';
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`;
}
