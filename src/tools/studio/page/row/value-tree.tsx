/** A value with all that is in it: fields of messages, entries of maps, versions, bytes. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Cut, JsonValue } from '../../protocol/json.js';
import type { PartView, RowName } from '../../protocol/row.js';
import type { ColumnInfo, MessageInfo } from '../../protocol/schema.js';
import { counted, grouped } from '../format/numbers.js';
import { isBytes, isTime, valueText, visible } from '../format/value.js';
import { offsetText, timeText } from '../format/time.js';
import { sizeText } from '../grid/columns.js';
import { call, failureOf } from '../net/client.js';
import { zone } from '../state/settings.js';
import { Hex } from './hex.js';

export interface ValueContext {
  readonly row: RowName;
  readonly cuts: readonly Cut[];
  readonly messages: readonly MessageInfo[];
}

interface TreeProps {
  readonly value: JsonValue;
  readonly kind: string;
  readonly message?: string | undefined;
  readonly role?: ColumnInfo['role'] | undefined;
  readonly path: readonly (string | number)[];
  readonly context: ValueContext;
}

type Fields = Readonly<Record<string, JsonValue>>;

const None = (): JSX.Element => <span class="quiet">no value</span>;

export function ValueTree(props: TreeProps): JSX.Element {
  const { value, role, path, context } = props;
  if (value === null) return <None />;
  const cut = context.cuts.find((each) => samePath(each.path, path));
  if (cut !== undefined) return <CutValue {...props} cut={cut} />;
  if (role === 'versions') return <Versions {...props} />;
  if (role === 'columnMap') return <Entries {...props} />;
  return <Plain {...props} />;
}

const samePath = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((part, i) => part === other[i]);

function Plain(props: TreeProps): JSX.Element {
  const { value, kind } = props;
  if (typeof value === 'string' && isBytes(kind)) return <Hex base64={value} />;
  if (typeof value === 'string' && isTime(kind)) return <Time iso={value} />;
  if (Array.isArray(value)) return <List {...props} items={value as readonly JsonValue[]} />;
  if (typeof value === 'object' && value !== null)
    return <Message {...props} fields={value as Fields} />;
  return <Text value={value} kind={kind} />;
}

function Text({ value, kind }: { readonly value: JsonValue; kind: string }): JSX.Element {
  if (value === '') return <span class="quiet">"" (empty text)</span>;
  const text = valueText(value, kind, zone.value);
  return <span class="value-text">{typeof value === 'string' ? lines(value, text) : text}</span>;
}

/** Text of several lines keeps them; everything else that hides is written out. */
const lines = (value: string, text: string): string =>
  value.includes('\n') ? value.split('\n').map(visible).join('\n') : text;

const Time = ({ iso }: { readonly iso: string }): JSX.Element => (
  <time class="value-text" dateTime={iso} title={iso}>
    {timeText(iso, zone.value)} <span class="quiet">{offsetText(iso, zone.value)}</span>
  </time>
);

interface MessageProps extends TreeProps {
  readonly fields: Fields;
}

function Message({ fields, kind, message, path, context }: MessageProps): JSX.Element {
  const declared = context.messages.find(({ name }) => name === (message ?? kind))?.fields ?? [];
  const entries = Object.entries(fields);
  if (entries.length === 0) return <span class="quiet">an empty message</span>;
  return (
    <dl class="nested">
      {entries.map(([name, value]) => {
        const field = declared.find((each) => each.name === name);
        return (
          <div key={name} class="value-line">
            <dt>
              <span class="value-name">{visible(name)}</span>
              {field !== undefined && (
                <span class="value-kind">
                  {field.type.replace(/[\w.]+\./, '')} = {field.number}
                </span>
              )}
            </dt>
            <dd>
              <FieldValue
                value={value}
                type={field?.type}
                path={[...path, name]}
                context={context}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

type FieldProps = Pick<TreeProps, 'value' | 'path' | 'context'> & {
  readonly type: string | undefined;
};

/** The value of a field; maps have the form of a list of pairs. */
function FieldValue({ type, value, ...rest }: FieldProps): JSX.Element {
  const kind = elementType(type);
  const isCut = rest.context.cuts.some((each) => samePath(each.path, rest.path));
  if (type?.startsWith('map<') !== true || !Array.isArray(value) || isCut)
    return <ValueTree {...rest} value={value} kind={kind} />;
  const pairs = value as readonly (readonly [string | number | boolean, JsonValue])[];
  return (
    <table class="small-table">
      <caption>{counted(pairs.length, 'entries')}</caption>
      <tbody>
        {pairs.map(([key, each], i) => (
          <tr key={i}>
            <th scope="row">{visible(String(key))}</th>
            <td>
              <ValueTree {...rest} value={each} kind={kind} path={[...rest.path, i, 1]} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The type of a field without what is around it: of a list, of the values of a map. */
const elementType = (type = 'json'): string =>
  type
    .replace(/^repeated /, '')
    .replace(/^map<[^,]+, (.*)>$/, '$1')
    .replace(/^enum .*/, 'string');

function List({
  items,
  path,
  ...rest
}: TreeProps & { readonly items: readonly JsonValue[] }): JSX.Element {
  if (items.length === 0) return <span class="quiet">an empty list</span>;
  return (
    <ol class="nested" start={0}>
      {items.map((value, i) => (
        <li key={i}>
          <ValueTree {...rest} value={value} path={[...path, i]} role={undefined} />
        </li>
      ))}
    </ol>
  );
}

function Entries({ value, path, ...rest }: TreeProps): JSX.Element {
  const entries = Object.entries(value as Fields);
  return (
    <div class="table-box" tabIndex={0} role="group" aria-label={`Entries of ${String(path[0])}`}>
      <table class="small-table">
        <caption>{counted(entries.length, 'entries')}</caption>
        <tbody>
          {entries.map(([key, each]) => (
            <tr key={key}>
              <th scope="row">{visible(key)}</th>
              <td>
                <ValueTree {...rest} value={each} path={[...path, key]} role={undefined} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Versions({ value, path, ...rest }: TreeProps): JSX.Element {
  const versions = value as readonly { readonly at: string; readonly value: JsonValue }[];
  if (versions.length === 0) return <None />;
  return (
    <table class="small-table versions">
      <caption>
        {versions.length === 1 ? '1 version' : `${grouped(versions.length)} versions, newest first`}
      </caption>
      <tbody>
        {versions.map((version, i) => (
          <tr key={version.at}>
            <th scope="row">
              <Time iso={version.at} />
            </th>
            <td>
              <ValueTree
                {...rest}
                value={version.value}
                path={[...path, i, 'value']}
                role={undefined}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CutProps extends TreeProps {
  readonly cut: Cut;
}

/** A value of which only the first part was sent. */
function CutValue({ cut, ...props }: CutProps): JSX.Element {
  const part = useSignal<PartView | undefined>(undefined);
  const problem = useSignal('');
  const offset = part.value?.offset ?? 0;
  const shown = part.value?.shown ?? cut.shown;
  const load = async (from: number): Promise<void> => {
    try {
      const request = { ...props.context.row, path: cut.path, offset: from };
      part.value = await call('part', request);
      problem.value = '';
    } catch (error) {
      problem.value = failureOf(error)?.message ?? '';
    }
  };
  const without = props.context.cuts.filter((each) => each !== cut);
  const context = { ...props.context, cuts: part.value === undefined ? without : [] };
  return (
    <div class="cut">
      <p class="bar">
        <span class="mark">
          {grouped(offset)} to {grouped(offset + shown)} of {grouped(cut.size)} {unitOf(cut)}
          {cut.kind === 'bytes' || cut.kind === 'text' ? `, ${sizeText(cut)}` : ''}
        </span>
        <button type="button" disabled={offset === 0} onClick={() => void load(0)}>
          First
        </button>
        <button
          type="button"
          disabled={offset + shown >= cut.size}
          onClick={() => void load(offset + shown)}
        >
          Next
        </button>
      </p>
      {problem.value !== '' && <p class="problem">{problem.value}</p>}
      <ValueTree {...props} value={part.value?.value ?? props.value} context={context} />
    </div>
  );
}

const unitOf = ({ kind }: Cut): string =>
  ({ text: 'characters', bytes: 'bytes', list: 'elements', map: 'entries' })[kind];
