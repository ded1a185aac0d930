/** What conditions can be put on: columns, fields of messages, and segments of the key. */
import type { TestKind } from '../../protocol/schema.js';
import type { SourceForm } from './source-form.js';

/** A property, or a field of its message. */
export interface Testable {
  /** `parcel.at.x` */
  readonly label: string;
  readonly property: string;
  readonly fields?: readonly string[] | undefined;
  readonly kind: string;
  readonly tests: readonly TestKind[];
}

/** What can be tested: columns first, since segments have their inputs. */
export function testablesOf(form: SourceForm): readonly Testable[] {
  const columns = form.columns.flatMap(({ name, kind, tests, fields = [] }): Testable[] => [
    { label: name, property: name, kind, tests },
    ...fields.map((field) => ({
      label: [name, ...field.path].join('.'),
      property: name,
      fields: field.path,
      kind: field.kind,
      tests: field.tests,
    })),
  ]);
  const segments = testedSegments(form).map(({ name, kind, tests }): Testable => ({
    label: name,
    property: name,
    kind,
    tests,
  }));
  return [...columns, ...segments].filter(({ tests }) => tests.length > 0);
}

/** The segments of the entity: the entries of an index lead to its rows. */
function testedSegments({ source, entity, segments }: SourceForm): SourceForm['segments'] {
  if (source.kind === 'index' && source.covered === true) return segments;
  return entity?.key.segments ?? [];
}

/** What a condition is on; undefined if the project does not declare it. */
export function testableOf(
  form: SourceForm,
  { property, fields }: Pick<Testable, 'property' | 'fields'>,
): Testable | undefined {
  const all = testablesOf(form);
  const path = (fields ?? []).join('.');
  const found = all.find(
    (each) => each.property === property && (each.fields ?? []).join('.') === path,
  );
  // Fields of JSON values are not declared.
  return found ?? all.find((each) => each.property === property && each.kind === 'json');
}
