/** Of the rows that were read, those that were returned and those that were not. */
import type { JSX } from 'preact';
import type { Measured } from '../../protocol/query.js';
import { grouped } from '../format/numbers.js';

export function ThrownAway({ measured }: { readonly measured: Measured }): JSX.Element {
  const { rows, thrownAway } = measured;
  const shares = [
    { name: 'returned', look: 'is-returned', count: rows },
    { name: 'of other entities', look: 'is-foreign', count: thrownAway.foreign },
    { name: 'not decoded', look: 'is-undecodable', count: thrownAway.undecodable },
    { name: 'tested here and thrown away', look: 'is-other', count: thrownAway.other },
  ].filter(({ count, name }) => count > 0 || name === 'returned');
  const all = shares.reduce((sum, { count }) => sum + count, 0);
  const text = shares.map(({ name, count }) => `${grouped(count)} ${name}`).join(', ');
  return (
    <figure class="thrown-away">
      <div class="shares" role="img" aria-label={`Rows that were read: ${text}`}>
        {shares.map(({ name, look, count }) => (
          <span key={name} class={look} style={{ flexGrow: all === 0 ? 1 : count / all }} />
        ))}
      </div>
      <figcaption>
        {shares.map(({ name, look, count }) => (
          <span key={name} class="share-name">
            <span class={`swatch ${look}`} /> {grouped(count)} {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
