/** Authorized views for Terraform's google provider, and as definition files for gcloud. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { OutputFile } from '../output-file.js';
import { sortedBy } from '../sorted-by.js';
import { blankLine, type HclItem } from './hcl.js';

/** The parts of a view as both tools take them: all bytes in base64. */
interface ViewForm {
  readonly rowPrefixes: readonly string[];
  readonly families: readonly {
    readonly family: string;
    readonly qualifiers?: readonly string[];
    readonly qualifierPrefixes?: readonly string[];
  }[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function formOf({ view }: EntityModel): ViewForm {
  const families = sortedBy([...view!.families], ([family]) => family);
  return {
    rowPrefixes: view!.rowPrefixes.map(base64),
    families: families.map(([family, qualifiers]) =>
      qualifiers === 'all'
        ? { family, qualifierPrefixes: [''] }
        : { family, qualifiers: qualifiers.map(base64) },
    ),
  };
}

/** The views of a table by name. */
export function viewsOfTable(views: readonly EntityModel[], table: string): readonly EntityModel[] {
  return sortedBy(
    views.filter((model) => model.table.name === table),
    ({ view }) => view!.name,
  );
}

/** A google_bigtable_authorized_view; `table` is the resource name of its table. */
export function viewBlock(model: EntityModel, name: string, table: string): readonly HclItem[] {
  const { rowPrefixes, families } = formOf(model);
  const subsets = families.map(({ family, qualifiers, qualifierPrefixes }): HclItem => {
    const body: HclItem[] = [{ name: 'family_name', value: family }];
    if (qualifiers !== undefined) body.push({ name: 'qualifiers', value: qualifiers });
    if (qualifierPrefixes !== undefined)
      body.push({ name: 'qualifier_prefixes', value: qualifierPrefixes });
    return { block: 'family_subsets', body };
  });
  return [
    blankLine,
    {
      block: 'resource',
      labels: ['google_bigtable_authorized_view', name],
      body: [
        { name: 'project', value: { expression: 'var.project' } },
        { name: 'name', value: model.view!.name },
        { name: 'instance_name', value: { expression: 'var.instance_name' } },
        { name: 'table_name', value: { expression: `google_bigtable_table.${table}.name` } },
        {
          name: 'deletion_protection',
          value: model.view!.deletionProtection ? 'PROTECTED' : 'UNPROTECTED',
        },
        blankLine,
        {
          block: 'subset_view',
          body: [{ name: 'row_prefixes', value: rowPrefixes }, ...subsets],
        },
      ],
    },
  ];
}

/** Path of the definition of a view, relative to the scripts. */
export function definitionPath({ table, view }: EntityModel): string {
  return `authorized-views/${table.name}.${view!.name}.json`;
}

/** The definitions that `gcloud bigtable authorized-views create --pre-encoded` reads. */
export function viewDefinitions(views: readonly EntityModel[]): readonly OutputFile[] {
  return sortedBy(views, definitionPath).map((model) => {
    const { rowPrefixes, families } = formOf(model);
    const familySubsets = Object.fromEntries(
      families.map(({ family, ...columns }) => [family, columns]),
    );
    const definition = {
      subsetView: { rowPrefixes, familySubsets },
      deletionProtection: model.view!.deletionProtection,
    };
    return { path: definitionPath(model), content: `${JSON.stringify(definition, null, 2)}\n` };
  });
}
