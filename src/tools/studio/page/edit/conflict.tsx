/** A conflict: what was shown, what is stored now, and what would be written. */
import type { JSX } from 'preact';
import type { Changed } from '../../protocol/change.js';
import type { JsonValue } from '../../protocol/json.js';
import type { EntityInfo } from '../../protocol/schema.js';
import { valueText } from '../format/value.js';
import { zone } from '../state/settings.js';
import type { Values } from './changes.js';

interface ConflictProps {
  readonly entity: EntityInfo;
  readonly shown: Values;
  readonly mine: Values;
  readonly conflict: Extract<Changed, { outcome: 'conflict' }>;
  /** Writes over what is stored now, which is then what was shown. */
  readonly onOverwrite: (shown: Values) => void;
  readonly onTake: () => void;
}

export function Conflict(props: ConflictProps): JSX.Element {
  const { entity, shown, mine, conflict, onOverwrite, onTake } = props;
  const stored = conflict.stored.values ?? {};
  const names = [...new Set([...Object.keys(mine), ...conflict.changed])];
  const kindOf = (name: string): string =>
    entity.columns.find((each) => each.name === name)?.kind ?? 'string';
  const now = Object.fromEntries(Object.keys(shown).map((name) => [name, storedNow(name, props)]));
  return (
    <div class="conflict" role="alert">
      <p>
        <strong>The row was {conflict.stored.exists ? 'changed' : 'deleted'} meanwhile.</strong>{' '}
        Nothing was written.
      </p>
      <table class="small-table is-wide">
        <thead>
          <tr>
            <th scope="col">property</th>
            <th scope="col">was shown</th>
            <th scope="col">stored now</th>
            <th scope="col">yours</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name} class={conflict.changed.includes(name) ? 'is-changed' : ''}>
              <th scope="row">{name}</th>
              <Value value={shown[name]} kind={kindOf(name)} />
              <Value value={stored[name] ?? null} kind={kindOf(name)} />
              <Value value={mine[name]} kind={kindOf(name)} />
            </tr>
          ))}
        </tbody>
      </table>
      <div class="bar">
        <button type="button" class="is-primary" onClick={onTake}>
          Keep what is stored
        </button>
        {conflict.stored.exists && (
          <button type="button" onClick={() => onOverwrite(now)}>
            Write mine over it
          </button>
        )}
      </div>
    </div>
  );
}

/** Of a map, the entries that were shown, as they are stored now. */
function storedNow(name: string, { entity, shown, conflict }: ConflictProps): JsonValue {
  const value = conflict.stored.values?.[name] ?? null;
  const isMap = entity.columns.find((each) => each.name === name)?.role === 'columnMap';
  if (!isMap) return value;
  const entries = (value ?? {}) as Values;
  const keys = Object.keys((shown[name] ?? {}) as Values);
  return Object.fromEntries(keys.map((key) => [key, entries[key] ?? null]));
}

const Value = (props: { readonly value: JsonValue | undefined; kind: string }): JSX.Element => {
  const { value, kind } = props;
  if (value === undefined) return <td class="quiet">not changed</td>;
  if (value === null) return <td class="quiet">no value</td>;
  return <td>{valueText(value, kind, zone.value)}</td>;
};
