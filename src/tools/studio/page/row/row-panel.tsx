/** One row beside the table, or alone: its values, stored cells and key. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import type { RowDetail, RowName } from '../../protocol/row.js';
import { EditRow } from '../edit/edit-row.js';
import { RemoveRow } from '../edit/remove-row.js';
import { bytesText, counted } from '../format/numbers.js';
import { call } from '../net/client.js';
import { CopyButton, Empty, PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { useLoaded } from '../parts/loaded.js';
import { Waiting } from '../parts/waiting.js';
import { Tabs } from '../parts/tabs.js';
import { entityNamed, writable } from '../state/studio.js';
import { visible } from '../format/value.js';
import { Cells } from './cells.js';
import { RowKey } from './row-key.js';
import { rowQuery } from './row-query.js';
import { Values } from './values.js';

interface PanelProps {
  readonly row: RowName;
  readonly onClose?: (() => void) | undefined;
}

type Part = 'values' | 'cells' | 'key' | 'edit' | 'delete';

export function RowPanel({ row, onClose }: PanelProps): JSX.Element {
  const again = useSignal(0);
  const detail = useLoaded((cancel) => call('row', row, cancel), [row.table, row.key, again.value]);
  const { value, failure } = detail.value;
  const reload = (): void => {
    again.value++;
  };
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = panel.current?.previousElementSibling;
    // In a narrow window the row covers the table, which had the focus.
    if (before instanceof HTMLElement && before.offsetParent === null) panel.current?.focus();
  }, []);
  const close =
    onClose &&
    ((): void => {
      onClose();
      requestAnimationFrame(focusTable);
    });
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      class="row-panel"
      aria-label="Row"
      onKeyDown={(event) => {
        if (event.key === 'Escape') close?.();
      }}
    >
      {onClose !== undefined && <h1 class="sr covering">Row</h1>}
      <div class="bar panel-head">
        {onClose === undefined ? (
          <h1>{value?.entity ?? 'Row'}</h1>
        ) : (
          <h2>{value?.entity ?? 'Row'}</h2>
        )}
        <span class="quiet">{row.table}</span>
        <span class="space" />
        <button type="button" class="is-quiet" onClick={reload}>
          Reload
        </button>
        {onClose !== undefined && (
          <button type="button" class="is-quiet" aria-label="Close the row" onClick={close}>
            ×
          </button>
        )}
      </div>
      {failure !== undefined && (
        <FailureBox failure={failure}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </FailureBox>
      )}
      <Waiting loaded={detail.value} what="Row" />
      {value !== undefined && <Detail row={row} detail={value} onChanged={reload} />}
    </aside>
  );
}

const focusTable = (): void =>
  (document.querySelector<HTMLElement>('[role=grid]') ?? document.getElementById('main'))?.focus();

interface DetailProps {
  readonly row: RowName;
  readonly detail: RowDetail;
  readonly onChanged: () => void;
}

function Detail({ row, detail, onChanged }: DetailProps): JSX.Element {
  const part = useSignal<Part>(detail.values === undefined ? 'cells' : 'values');
  const canChange = writable.value && detail.entity !== undefined && detail.exists;
  const names: readonly Part[] = canChange
    ? ['values', 'cells', 'key', 'edit', 'delete']
    : ['values', 'cells', 'key'];
  const tabs = names.map((name) => ({ name, title: `${name[0].toUpperCase()}${name.slice(1)}` }));
  return (
    <>
      <RowKey detail={detail} />
      {!detail.exists && <Gone />}
      {detail.undecoded !== undefined && <Undecoded {...detail.undecoded} />}
      <Tabs
        label="Row"
        tabs={tabs}
        chosen={part.value}
        onChoose={(name) => {
          part.value = name;
        }}
      >
        {part.value === 'values' && <Values row={row} detail={detail} />}
        {part.value === 'cells' && <Cells row={row} />}
        {part.value === 'key' && <KeyTab detail={detail} />}
        {part.value === 'edit' && <EditRow row={row} detail={detail} onChanged={onChanged} />}
        {part.value === 'delete' && <RemoveRow row={row} detail={detail} onChanged={onChanged} />}
      </Tabs>
      <Taking row={row} detail={detail} />
    </>
  );
}

const Gone = (): JSX.Element => (
  <p class="note is-warning">This row has no cells any more: it was deleted, or collected.</p>
);

const Undecoded = ({ code, reason, fix }: NonNullable<RowDetail['undecoded']>): JSX.Element => (
  <div class="note is-warning">
    <p>
      <strong>Not decoded.</strong> <code class="code-name">{code}</code> {visible(reason)}
    </p>
    {fix !== undefined && <p>{visible(fix)}</p>}
  </div>
);

function KeyTab({ detail }: { readonly detail: RowDetail }): JSX.Element {
  const { key, cells, bytes, families } = detail;
  return (
    <dl class="facts">
      <Fact name="key">
        <code>{key.printable}</code>
      </Fact>
      <Fact name="base64">
        <code>{key.bytes}</code>
      </Fact>
      <Fact name="stored">
        {counted(cells, 'cells')}, {bytesText(bytes)}
      </Fact>
      {families.map((family) => (
        <Fact key={family.name} name={family.name}>
          {counted(family.cells, 'cells')}, {bytesText(family.bytes)}
        </Fact>
      ))}
    </dl>
  );
}

const Fact = (props: { readonly name: string; children: ComponentChildren }): JSX.Element => (
  <div>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
);

/** The row as code, JSON or a command. */
function Taking({ row, detail }: { readonly row: RowName; detail: RowDetail }): JSX.Element {
  const query = rowQuery(detail, entityNamed(detail.entity));
  const text = useLoaded(
    async (cancel) =>
      query === undefined ? undefined : (await call('typescript', { query }, cancel)).typescript,
    [detail.key.bytes],
  );
  const json =
    detail.values === undefined ? undefined : JSON.stringify(detail.values, undefined, 2);
  return (
    <div class="bar panel-foot">
      <span class="quiet">Copy as</span>
      <CopyButton text={text.value.value} what="the row as TypeScript">
        TypeScript
      </CopyButton>
      <CopyButton text={json} what="the row as JSON">
        JSON
      </CopyButton>
      <CopyButton text={detail.key.cbt} what="the cbt command">
        cbt
      </CopyButton>
      <span class="space" />
      <PlaceLink to={{ view: 'row', row }}>Link to this row</PlaceLink>
    </div>
  );
}

/** A row alone: what a link to it opens. */
export const RowView = ({ row }: { readonly row: RowName }): JSX.Element =>
  row.key === '' ? <Empty isView title="No row is named." /> : <RowPanel row={row} />;
