/** The values of a row, by property, unfolded. */
import type { JSX } from 'preact';
import type { RowDetail, RowName } from '../../protocol/row.js';
import type { ColumnInfo, EntityInfo } from '../../protocol/schema.js';
import { Empty } from '../parts/elements.js';
import { entityNamed } from '../state/studio.js';
import { ValueTree, type ValueContext } from './value-tree.js';

interface ValuesProps {
  readonly row: RowName;
  readonly detail: RowDetail;
}

export function Values({ row, detail }: ValuesProps): JSX.Element {
  const entity = entityNamed(detail.entity);
  if (entity === undefined || detail.values === undefined)
    return (
      <Empty title="No entity decodes this row.">Its cells are shown as they are stored.</Empty>
    );
  const context = { row, cuts: detail.cuts, messages: entity.messages };
  return (
    <dl class="values">
      {entity.key.segments.map(({ name, kind }, i) => (
        <div key={name} class="value-line">
          <dt>
            <span class={`value-name hue-${i % 6}`}>{name}</span>
            <span class="value-kind">{kind}</span>
          </dt>
          <dd>
            <ValueTree
              value={detail.values?.[name] ?? null}
              kind={kind}
              path={[name]}
              context={context}
            />
          </dd>
        </div>
      ))}
      {entity.columns.map((column) => (
        <Property
          key={column.name}
          column={column}
          detail={detail}
          context={context}
          entity={entity}
        />
      ))}
    </dl>
  );
}

interface PropertyProps {
  readonly column: ColumnInfo;
  readonly detail: RowDetail;
  readonly context: ValueContext;
  readonly entity: EntityInfo;
}

function Property({ column, detail, context, entity }: PropertyProps): JSX.Element {
  const { name, family, qualifier, role, managed } = column;
  const copied = entity.copies.find(({ property }) => property === name);
  const notes = [
    role === 'column' ? '' : roleNames[role],
    managed === undefined ? '' : `set by the library`,
    copied === undefined ? '' : `copied from ${copied.of}`,
    name === entity.expiresAt ? 'the row expires then' : '',
  ].filter((note) => note !== '');
  return (
    <div class="value-line">
      <dt title={family === undefined ? undefined : `${family}:${qualifier ?? '*'}`}>
        <span class="value-name">{name}</span>
        <span class="value-kind">{[column.message ?? column.kind, ...notes].join(', ')}</span>
      </dt>
      <dd>
        <ValueTree
          value={detail.values?.[name] ?? null}
          kind={column.kind}
          message={column.message}
          role={role}
          path={[name]}
          context={context}
        />
      </dd>
    </div>
  );
}

const roleNames: Readonly<Record<ColumnInfo['role'], string>> = {
  key: 'key',
  column: '',
  packed: 'packed',
  counter: 'counter',
  columnMap: 'map',
  versions: 'versions',
};
