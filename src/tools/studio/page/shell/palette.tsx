/** The palette: every place and action by name, opened with Ctrl-K or Cmd-K. */
import { signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { copyQuery, languages } from '../query/copy-query.js';
import { sourceLabel, sourcesOf } from '../query/source-form.js';
import { firstRows, go, type Route, route } from '../state/route.js';
import { nextTheme } from '../state/settings.js';
import { measureTables, schema, tables, writable } from '../state/studio.js';

interface Command {
  readonly title: string;
  readonly kind: string;
  readonly run: () => void;
}

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

const most = 12;

export function Palette(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the page is painted: keys that are typed at once belong to the palette.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isOpen.value = !isOpen.value;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useSignalEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  });
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={() => {
        isOpen.value = false;
      }}
      onClick={(event) => {
        if (event.target === dialog.current) isOpen.value = false;
      }}
    >
      {isOpen.value && <Search />}
    </dialog>
  );
}

function Search(): JSX.Element {
  const text = useSignal('');
  const active = useSignal(0);
  const found = useComputed(() => matching(commands(), text.value));
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const run = (command: Command | undefined): void => {
    isOpen.value = false;
    command?.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const { length } = found.value;
      active.value = length === 0 ? 0 : (active.value + step + length) % length;
      event.preventDefault();
    } else if (event.key === 'Enter') run(found.value[active.value]);
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.value.length > 0 ? `palette-${active.value}` : undefined}
        placeholder="Entity, query, table, view"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Places and actions">
        {found.value.map((command, i) => (
          <li
            key={`${command.kind}${command.title}`}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === active.value}
            onMouseDown={() => run(command)}
          >
            <span>{command.title}</span>
            <span class="quiet">{command.kind}</span>
          </li>
        ))}
      </ul>
      {found.value.length === 0 && <p class="quiet nothing">Nothing has this name.</p>}
    </>
  );
}

/** Those with all words of the text, names that begin with it first. */
function matching(all: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  const found = all.filter(({ title, kind }) =>
    words.every((word) => `${title} ${kind}`.toLowerCase().includes(word)),
  );
  const begins = ({ title }: Command): number =>
    title.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1;
  return found.sort((one, other) => begins(one) - begins(other)).slice(0, most);
}

function commands(): Command[] {
  const declared = schema.value;
  if (declared === undefined) return [];
  const place = (title: string, kind: string, to: Route): Command => ({
    title,
    kind,
    run: () => go(to),
  });
  const ofEntities = declared.entities.flatMap((entity) => [
    ...sourcesOf(entity, declared).map((source) => {
      const label =
        source.kind === 'entity' ? entity.name : `${entity.name}.${sourceLabel(source)}`;
      return place(label, source.kind === 'entity' ? 'rows' : source.kind, firstRows(source));
    }),
    place(`${entity.name}`, 'schema', { view: 'schema', entity: entity.name }),
    ...(writable.value
      ? [
          place(`Insert ${entity.name}`, 'change', { view: 'insert', entity: entity.name }),
          place(`Import ${entity.name}`, 'change', { view: 'import', entity: entity.name }),
        ]
      : []),
  ]);
  const ofTables = tables.value
    .filter(({ stored }) => stored)
    .flatMap(({ name }) => [
      place(name, 'stored rows', { view: 'stored', table: name, prefix: '', undecodable: false }),
      place(name, 'rows that no entity decodes', {
        view: 'stored',
        table: name,
        prefix: '',
        undecodable: true,
      }),
      place(name, 'garbage collection', { view: 'garbage', table: name }),
    ]);
  return [
    ...ofEntities,
    ...ofTables,
    place('Tables', 'view', { view: 'home' }),
    place('Schema', 'view', { view: 'schema' }),
    place('Findings', 'view', { view: 'findings' }),
    place('Derived rows', 'view', { view: 'derived' }),
    place('Heat map', 'view', { view: 'heat' }),
    place('Simulation', 'view', { view: 'simulate' }),
    ...copying(route.value),
    { title: 'Switch colours', kind: 'action', run: nextTheme },
    { title: 'Measure tables again', kind: 'action', run: () => void measureTables() },
  ];
}

/** The query of a place as code. */
const copying = (place: Route): readonly Command[] =>
  place.view === 'query'
    ? languages.map((language) => ({
        title: `Copy the query as ${language}`,
        kind: 'action',
        run: () => void copyQuery(place.query, language),
      }))
    : [];
