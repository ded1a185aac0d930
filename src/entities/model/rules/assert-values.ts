/** What calls check that write nothing and cannot await: `create` and `fromJSON`. */
import type { Values } from '../../../base/index.js';
import type { EntityModel } from '../model.js';
import { declaredRules, issuesError } from './declared-rules.js';
import { byProperty } from './issues-by-property.js';
import { schemaRules } from './schema-rules.js';

/**
 * Throws VALIDATION_FAILED for an entity that breaks declared rules or, with `schemas`, is refused
 * by its Standard Schemas; HOOK_FAILED for a schema that fails or is asynchronous.
 */
export function assertValues(
  model: EntityModel,
  values: Values,
  call: string,
  schemas: boolean,
): void {
  const declared = declaredRules(model)?.entity(values);
  const found = schemas ? schemaRules(model)?.entityNow(values, call) : undefined;
  const issues = byProperty(model, [declared, found]);
  if (issues !== undefined) throw issuesError(model, issues);
}
