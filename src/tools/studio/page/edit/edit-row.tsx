/** Editing a row: validated while it is typed, written only if the row is still as it was shown. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Changed } from '../../protocol/change.js';
import type { StudioFailure } from '../../protocol/failure.js';
import type { RowDetail, RowName } from '../../protocol/row.js';
import type { EntityInfo } from '../../protocol/schema.js';
import { counted } from '../format/numbers.js';
import { call, failureOf } from '../net/client.js';
import { FailureBox } from '../parts/failure-box.js';
import { Empty } from '../parts/elements.js';
import { announce } from '../state/notice.js';
import { zone } from '../state/settings.js';
import { entityNamed } from '../state/studio.js';
import {
  type Changes,
  changesOf,
  isJsonColumn,
  type Texts,
  textsOf,
  type Values,
} from './changes.js';
import { Conflict } from './conflict.js';
import { issueOf, useValidated } from './validation.js';
import { PropertyInput } from './value-input.js';

interface EditProps {
  readonly row: RowName;
  readonly detail: RowDetail;
  readonly onChanged: () => void;
}

export function EditRow(props: EditProps): JSX.Element {
  const entity = entityNamed(props.detail.entity);
  if (entity === undefined || props.detail.values === undefined)
    return <Empty title="Only rows that an entity decodes can be edited." />;
  return <EditForm {...props} entity={entity} values={props.detail.values} />;
}

type Conflicted = Extract<Changed, { outcome: 'conflict' }>;

interface FormProps extends EditProps {
  readonly entity: EntityInfo;
  readonly values: Values;
}

function EditForm(props: FormProps): JSX.Element {
  const { entity, detail, values } = props;
  const columns = useMemo(() => entity.columns.filter(({ editable }) => editable), [entity]);
  const before = useMemo(() => textsOf(columns, values, zone.peek()), [values]);
  const texts = useSignal<Texts>(before);
  const changes = changesOf(columns, before, values, texts.value, zone.value);
  const validated = useValidated(entity.name, changes.set, false);
  const writing = useWriting(props, changes);
  const count = Object.keys(changes.set).length;
  const wrong = Object.keys(changes.problems).length + validated.value.issues.length;
  if (writing.conflict.value !== undefined)
    return (
      <Conflict
        entity={entity}
        shown={changes.shown}
        mine={changes.set}
        conflict={writing.conflict.value}
        onOverwrite={(shown) => void writing.write(shown)}
        onTake={props.onChanged}
      />
    );
  return (
    <form
      class="edit"
      aria-label="Edit the row"
      onSubmit={(event) => {
        event.preventDefault();
        if (count > 0 && wrong === 0) void writing.write(changes.shown);
      }}
    >
      {columns.map((column) => {
        const { name, kind, rules } = column;
        const cut = detail.cuts.find(({ path }) => path[0] === name);
        if (cut !== undefined) return <TooLarge key={name} name={name} />;
        return (
          <div
            key={name}
            class={`edit-line ${texts.value[name] === before[name] ? '' : 'is-changed'}`}
          >
            <span class="value-name">{name}</span>
            <PropertyInput
              name={name}
              kind={kind}
              isJson={isJsonColumn(column)}
              rules={rules}
              text={texts.value[name]}
              problem={changes.problems[name] ?? issueOf(validated.value, name)}
              onText={(text) => {
                texts.value = { ...texts.value, [name]: text };
              }}
            />
          </div>
        );
      })}
      {writing.failure.value !== undefined && <FailureBox failure={writing.failure.value} />}
      <div class="bar">
        <button type="submit" class="is-primary" disabled={count === 0 || wrong > 0}>
          {count === 0 ? 'Save' : `Save ${counted(count, 'changes')}`}
        </button>
        <span class="quiet">written only if the row is still as shown</span>
      </div>
    </form>
  );
}

const TooLarge = ({ name }: { readonly name: string }): JSX.Element => (
  <div class="edit-line">
    <span class="value-name">{name}</span>
    <span class="quiet">too large to be edited here: export the row, and import it</span>
  </div>
);

function useWriting({ row, entity, onChanged }: FormProps, { set }: Changes) {
  const conflict = useSignal<Conflicted | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const write = async (shown: Values): Promise<void> => {
    failure.value = undefined;
    try {
      const changed = await call('update', { ...row, entity: entity.name, set, shown });
      if (changed.outcome === 'conflict') conflict.value = changed;
      else {
        announce(`Saved ${counted(Object.keys(set).length, 'changes')}`);
        onChanged();
      }
    } catch (error) {
      failure.value = failureOf(error);
      conflict.value = undefined;
    }
  };
  return { conflict, failure, write };
}
