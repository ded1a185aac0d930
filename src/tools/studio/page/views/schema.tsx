/** The schema: keys, columns, families and retention, with findings at their place, and drift. */
import type { JSX } from 'preact';
import type { PlacedFinding } from '../../protocol/insight.js';
import type { ColumnInfo, EntityInfo } from '../../protocol/schema.js';
import { call } from '../net/client.js';
import { Code } from '../parts/code.js';
import { PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { useLoaded } from '../parts/loaded.js';
import { Waiting } from '../parts/waiting.js';
import { sourceLabel, sourcesOf } from '../query/source-form.js';
import { firstRows } from '../state/route.js';
import { schema } from '../state/studio.js';
import { Finding } from './findings.js';

export function SchemaView({ entity }: { readonly entity: string | undefined }): JSX.Element {
  const declared = schema.value?.entities ?? [];
  const chosen = declared.find(({ name }) => name === entity) ?? declared[0];
  const lint = useLoaded((cancel) => call('lint', {}, cancel), []);
  const findings = lint.value.value?.findings ?? [];
  return (
    <section class="page" aria-label="Schema">
      <h1>Schema</h1>
      <DriftBox />
      <nav class="sources" aria-label="Entities">
        {declared.map(({ name }) => (
          <PlaceLink
            key={name}
            class="source"
            to={{ view: 'schema', entity: name }}
            current={name === chosen?.name}
          >
            {name}
          </PlaceLink>
        ))}
      </nav>
      {chosen !== undefined && (
        <EntitySchema
          key={chosen.name}
          entity={chosen}
          findings={findings.filter((each) => each.entity === chosen.name)}
        />
      )}
    </section>
  );
}

function DriftBox(): JSX.Element {
  const drift = useLoaded((cancel) => call('drift', {}, cancel), []);
  const { value, failure } = drift.value;
  if (failure !== undefined) return <FailureBox failure={failure} />;
  if (value === undefined) return <Waiting loaded={drift.value} what="Comparing with the tables" />;
  if (value.steps.length === 0)
    return (
      <p>
        <span class="mark is-good">no drift</span> The stored tables are as declared.
      </p>
    );
  return (
    <div class="note is-warning">
      <p>
        <strong>The stored tables differ from the declared ones.</strong>{' '}
        <code>rowsmith schema apply</code> does what is safe.
      </p>
      <table class="small-table is-wide">
        <thead>
          <tr>
            {['place', 'step', 'stored', 'declared', 'consequence'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {value.steps.map(({ table, family, kind, safety, from, to, consequence }, i) => (
            <tr key={i}>
              <th scope="row">{family === undefined ? table : `${table}, ${family}`}</th>
              <td>
                {kind}{' '}
                <span class={`mark ${safety === 'safe' ? 'is-good' : 'is-warning'}`}>{safety}</span>
              </td>
              <td>{from}</td>
              <td>{to}</td>
              <td>{consequence}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface EntityProps {
  readonly entity: EntityInfo;
  readonly findings: readonly PlacedFinding[];
}

function EntitySchema({ entity, findings }: EntityProps): JSX.Element {
  const { key, columns, families, text, name } = entity;
  const at = (property?: string, family?: string): readonly PlacedFinding[] =>
    findings.filter((each) => each.property === property && each.family === family);
  const declared = schema.value;
  return (
    <div class="schema">
      <Notes findings={at()} />
      <h2>Key</h2>
      <p class="key-inputs">
        {key.parts.map((part) => {
          const i = key.segments.findIndex((each) => part.startsWith(`${each.name}:`));
          return (
            <code key={part} class={i < 0 ? 'key-part is-literal' : `key-part hue-${i % 6}`}>
              {part}
            </code>
          );
        })}
        <span class="quiet">{key.format}</span>
        {key.shards !== undefined && <span class="mark">{key.shards}</span>}
      </p>
      {key.segments.map((segment) => (
        <Notes key={segment.name} findings={at(segment.name)} />
      ))}
      <h2>Columns</h2>
      <Columns columns={columns} at={(property) => at(property)} />
      <h2>Families</h2>
      <table class="small-table is-wide">
        <thead>
          <tr>
            {['family', 'garbage collection', 'aggregate', 'rules'].map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {families.map(({ name: family, gc, aggregate }) => (
            <tr key={family}>
              <th scope="row">{family}</th>
              <td>{gc}</td>
              <td>{aggregate}</td>
              <td>
                <Notes findings={at(undefined, family)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>Ready queries</h2>
      <p class="sources">
        {declared !== undefined &&
          sourcesOf(entity, declared).map((source) => (
            <PlaceLink key={JSON.stringify(source)} class="source" to={firstRows(source)}>
              <span class="source-kind">{source.kind === 'entity' ? '' : source.kind}</span>
              {sourceLabel(source)}
            </PlaceLink>
          ))}
      </p>
      <details>
        <summary>The declaration as text</summary>
        <Code text={text} label={`Declaration of ${name}`} />
      </details>
    </div>
  );
}

const Notes = ({ findings }: { readonly findings: readonly PlacedFinding[] }): JSX.Element => (
  <>
    {findings.map((finding) => (
      <Finding key={`${finding.rule}${finding.problem}`} finding={finding} />
    ))}
  </>
);

interface ColumnsProps {
  readonly columns: readonly ColumnInfo[];
  readonly at: (property: string) => readonly PlacedFinding[];
}

const Columns = ({ columns, at }: ColumnsProps): JSX.Element => (
  <table class="small-table is-wide">
    <thead>
      <tr>
        {['property', 'type', 'stored as', 'rules'].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {columns.map((column) => (
        <tr key={column.name}>
          <th scope="row">{column.name}</th>
          <td>{typeText(column)}</td>
          <td>
            <code>
              {column.family}:{column.qualifier ?? '*'}
            </code>
          </td>
          <td>
            {ruleText(column)}
            <Notes findings={at(column.name)} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function typeText({ role, kind, message, entryKind }: ColumnInfo): string {
  const type = message ?? kind;
  if (role === 'columnMap') return `map from ${entryKind ?? 'string'} to ${type}`;
  if (role === 'versions') return `versions of ${type}`;
  return role === 'column' ? type : `${type}, ${role}`;
}

function ruleText({ required, managed, rules }: ColumnInfo): string {
  const texts = Object.entries(rules ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  if (required) texts.unshift('required');
  if (managed !== undefined) texts.push(`${managed}, set by the library`);
  return texts.join(', ');
}
