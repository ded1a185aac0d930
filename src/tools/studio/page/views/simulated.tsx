/** What a simulation found: keys side by side, the recommendation, and their heat maps. */
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { SimulatedDesign, Simulation } from '../../protocol/simulate.js';
import { bytesText, grouped } from '../format/numbers.js';
import { visible } from '../format/value.js';
import type { HeatView } from './heat-parts.js';

export function Simulated({ simulation }: { readonly simulation: Simulation }): JSX.Element {
  const { facts, sizes, leftOut } = simulation;
  return (
    <>
      <Designs simulation={simulation} />
      {leftOut.map(({ name, pattern }) => (
        <p key={name} class="quiet">
          {name} is not compared: {pattern} would return its rows in another order.
        </p>
      ))}
      <dl class="facts">
        {facts.map(({ name, text }) => (
          <div key={text}>
            <dt>{name}</dt>
            <dd>{visible(text)}</dd>
          </div>
        ))}
      </dl>
      {sizes.map(({ level, problem, fix }) => (
        <p key={problem} class="note is-warning">
          <strong>{level}</strong> {visible(problem)}: {visible(fix)}
        </p>
      ))}
      <Maps simulation={simulation} />
    </>
  );
}

function Designs({ simulation }: { readonly simulation: Simulation }): JSX.Element {
  const { designs, recommended, nodes, target } = simulation;
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label="Keys under this load">
      <table class="small-table is-wide">
        <thead>
          <tr>
            <th scope="col">key</th>
            <th scope="col" class="is-number">
              nodes needed
            </th>
            <th scope="col" class="is-number">
              stored in a year
            </th>
            <th scope="col" class="is-number">
              busiest of {counted(nodes)}
            </th>
            <th scope="col" class="is-number">
              busiest tablet
            </th>
            <th scope="col">reads</th>
          </tr>
        </thead>
        <tbody>
          {designs.map((design) => (
            <Design
              key={design.name}
              design={design}
              isBest={design.name === recommended}
              target={target}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DesignProps {
  readonly design: SimulatedDesign;
  readonly isBest: boolean;
  readonly target: number;
}

function Design({ design, isBest, target }: DesignProps): JSX.Element {
  const { name, example, nodes, storedBytes, tablets, busiestTablet, busiestNode } = design;
  return (
    <tr>
      <th scope="row">
        {name} {isBest && <span class="mark is-good">recommended</span>}
        <br />
        <code class="quiet">{visible(example)}</code>
      </th>
      <td class="is-number">{nodes === undefined ? 'no number is enough' : grouped(nodes)}</td>
      <td class="is-number">{bytesText(storedBytes)}</td>
      <td class="is-number">
        {busiestNode > target ? (
          <span class="mark is-bad">{percent(busiestNode)} of its capacity</span>
        ) : (
          `${percent(busiestNode)} of its capacity`
        )}
      </td>
      <td class="is-number">
        {percent(busiestTablet)} of the load
        <br />
        <span class="quiet">of {grouped(Math.max(1, Math.round(tablets)))} by size</span>
      </td>
      <td>
        {design.reads.map((read) => (
          <div key={read.name}>
            {read.name}: <span class="quiet">{read.text}</span>
          </div>
        ))}
      </td>
    </tr>
  );
}

const counted = (nodes: number): string => `${grouped(nodes)} node${nodes === 1 ? '' : 's'}`;

function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.05) return 'under 0.1 %';
  return `${value >= 10 || value === 0 ? grouped(Math.round(value)) : value.toFixed(1)} %`;
}

/** The recommendation with its reasons, and the heat maps, as the page of the command has them. */
function Maps({ simulation }: { readonly simulation: Simulation }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let view: HeatView | undefined;
    let isGone = false;
    const show = async (): Promise<void> => {
      const { mountHeat } = await import('./heat-parts.js');
      if (isGone || host.current === null) return;
      view = mountHeat(host.current);
      const { maps, conclusion, workload } = simulation;
      view.show({
        source: `The load of ${workload}, as its workload declares it`,
        maps,
        conclusion,
      });
    };
    void show();
    return () => {
      isGone = true;
      view?.remove();
    };
  }, []);
  return <div ref={host} class="heat" />;
}
