/** A new row: all segments and columns, validated while they are typed. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { JsonValue } from '../../protocol/json.js';
import type { ColumnInfo, EntityInfo, SegmentInfo } from '../../protocol/schema.js';
import { visible } from '../format/value.js';
import { call, failureOf } from '../net/client.js';
import { Empty } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { typedValue } from '../query/typed-value.js';
import { announce } from '../state/notice.js';
import { go } from '../state/route.js';
import { zone } from '../state/settings.js';
import { entityNamed, session } from '../state/studio.js';
import { isJsonColumn, kindToType, type Texts } from './changes.js';
import { issueOf, useValidated } from './validation.js';
import { PropertyInput } from './value-input.js';

export function InsertRow({ entity: name }: { readonly entity: string }): JSX.Element {
  const entity = entityNamed(name);
  const write = session.value?.write;
  if (entity === undefined)
    return <Empty isView title={`The project declares no entity ${name}.`} />;
  if (write !== undefined && !write.allowed)
    return (
      <Empty isView title={`Nothing can be inserted. ${write.reason}`}>
        {write.fix}
      </Empty>
    );
  return <InsertForm key={name} entity={entity} />;
}

interface Property {
  readonly name: string;
  readonly kind: string;
  readonly isJson: boolean;
  readonly info: SegmentInfo | ColumnInfo;
  readonly isSegment: boolean;
}

function propertiesOf({ key, columns }: EntityInfo): readonly Property[] {
  const segments = key.segments.map((info) => {
    const { name, kind } = info;
    return { name, kind, isJson: false, info, isSegment: true };
  });
  const rest = columns
    .filter(({ editable }) => editable)
    .map((info) => {
      const kind = kindToType(info);
      return { name: info.name, kind, isJson: isJsonColumn(info), info, isSegment: false };
    });
  return [...segments, ...rest];
}

function InsertForm({ entity }: { readonly entity: EntityInfo }): JSX.Element {
  const properties = propertiesOf(entity);
  const required = properties.filter(({ info, isSegment }) =>
    isSegment ? !('generated' in info && info.generated) : 'required' in info && info.required,
  );
  const texts = useSignal<Texts>(Object.fromEntries(required.map(({ name }) => [name, ''])));
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const { values, problems } = readTexts(properties, texts.value);
  const validated = useValidated(entity.name, values, true);
  const wrong = Object.keys(problems).length + validated.value.issues.length;
  // Nothing is wrong with an input before something was typed.
  const missing = required.map(({ name }) => name).filter((name) => texts.value[name] === '');
  const problemOf = (name: string): string | undefined =>
    problems[name] ?? issueOf(validated.value, name);
  const insert = async (): Promise<void> => {
    failure.value = undefined;
    try {
      const changed = await call('insert', { entity: entity.name, values });
      if (changed.outcome === 'written') {
        announce('Inserted the row');
        go({ view: 'row', row: changed.row });
      } else failure.value = taken(changed.stored.key.printable);
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  return (
    <section class="page" aria-label={`Insert ${entity.name}`}>
      <h1>Insert {entity.name}</h1>
      <form
        class="edit"
        onSubmit={(event) => {
          event.preventDefault();
          if (wrong === 0) void insert();
        }}
      >
        {properties.map(({ name, kind, isJson, info, isSegment }, i) => (
          <div key={name} class="edit-line">
            <span class={`value-name ${isSegment ? `hue-${i % 6}` : ''}`}>{name}</span>
            <PropertyInput
              name={name}
              kind={kind}
              isJson={isJson}
              rules={info.rules}
              choices={'values' in info ? info.values : undefined}
              text={texts.value[name]}
              problem={missing.includes(name) ? undefined : problemOf(name)}
              onText={(text) => {
                texts.value = { ...texts.value, [name]: text };
              }}
            />
          </div>
        ))}
        {validated.value.key !== undefined && (
          <p class="quiet">
            Key <code>{visible(validated.value.key)}</code>
          </p>
        )}
        {failure.value !== undefined && <FailureBox failure={failure.value} />}
        <div class="bar">
          <button type="submit" class="is-primary" disabled={wrong > 0}>
            Insert
          </button>
          <span class="quiet">
            {missing.length > 0 ? `fill in ${missing.join(', ')}` : 'only if no row has this key'}
          </span>
        </div>
      </form>
    </section>
  );
}

const taken = (key: string): StudioFailure => ({
  code: 'ALREADY_EXISTS',
  message: 'A row with this key is stored already. Nothing was written.',
  key,
  fix: 'Change a segment, or open the row and edit it.',
});

function readTexts(properties: readonly Property[], texts: Texts) {
  const values: Record<string, JsonValue> = {};
  const problems: Record<string, string> = {};
  for (const { name, kind } of properties) {
    const text = texts[name];
    if (text === undefined) continue;
    if (text === '' && kind !== 'string') {
      problems[name] = 'Type a value';
      continue;
    }
    const typed = typedValue(text, kind, zone.value);
    if ('value' in typed) values[name] = typed.value;
    else problems[name] = typed.problem;
  }
  return { values, problems };
}
