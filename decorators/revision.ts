/** `@Revision`: the revision of a row, for writes on the condition that it has not changed. */
import { type QualifierOptions, revision, type MadeBy } from '../src/entities/model/index.js';
import {
  type OptionalPropertyDecoratorOf,
  propertyDecorator,
  valueType,
} from './property-decorator.js';

/**
 * Random text that is new with each write of the row. `save`, `patch` and `delete` of an entity
 * that was read are conditional on it and reject with REVISION_CONFLICT if it has changed. The
 * library sets the property; reads, `toJSON` and exports include it.
 */
export function Revision(
  family: string,
  options?: QualifierOptions,
): OptionalPropertyDecoratorOf<string> {
  const { declaration } = revision(family, options);
  return propertyDecorator('@Revision', (record, property, designType) =>
    record.columns.push({
      ...declaration,
      property,
      designType: valueType(Revision, String, designType),
    }),
  );
}

/** The type of a revision: `create` and `patch` do not take it. */
export type Revision = string & MadeBy<'library'>;
