/** The head: the database, whether it can be changed, the palette, the zone and the colours. */
import type { JSX } from 'preact';
import type { DatabaseInfo } from '../../protocol/session.js';
import { PlaceLink } from '../parts/elements.js';
import { nextTheme, theme, zone, zonesToChoose } from '../state/settings.js';
import { session } from '../state/studio.js';
import { openPalette } from './palette.js';

export function Head(): JSX.Element {
  const opened = session.value;
  return (
    <header class="head">
      <PlaceLink to={{ view: 'home' }} class="brand">
        Rowsmith <span>Studio</span>
      </PlaceLink>
      {opened !== undefined && (
        <>
          <span class="database" title={opened.database.address ?? opened.database.name}>
            <span class="quiet">{kindName(opened.database)}</span>{' '}
            {opened.database.kind === 'memory' ? '' : opened.database.name}
          </span>
          <WriteState />
        </>
      )}
      <span class="space" />
      <button type="button" class="search" onClick={openPalette}>
        Go to <kbd>Ctrl K</kbd>
      </button>
      <label class="option">
        <span class="option-name">times in</span>
        <select
          value={zone.value}
          onChange={(event) => {
            zone.value = event.currentTarget.value;
          }}
        >
          {zonesToChoose(opened?.zone).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="is-quiet"
        title="Colours: system, light, dark"
        onClick={nextTheme}
      >
        Colours: {theme.value}
      </button>
    </header>
  );
}

const kindName = ({ kind }: DatabaseInfo): string =>
  ({ memory: 'memory', disk: 'disk', emulator: 'emulator or server', bigtable: 'Bigtable' })[kind];

function WriteState(): JSX.Element | null {
  const write = session.value?.write;
  if (write === undefined) return null;
  if (write.allowed) return <span class="mark is-bad">changes allowed</span>;
  return (
    <details class="menu">
      <summary class="mark">read-only</summary>
      <div class="menu-list">
        <p>{write.reason}</p>
        <p>{write.fix}</p>
      </div>
    </details>
  );
}
