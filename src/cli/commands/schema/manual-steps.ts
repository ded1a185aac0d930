/**
 * Objects of a live instance that the admin API of this library does not reach: views and schema
 * bundles. A plan lists the commands that create them from the generated files.
 */
import { join, relative } from 'node:path';
import { generators, shellWord } from '../../../tools/codegen/index.js';
import { messagesOf } from '../../../entities/model/index.js';
import type { Project } from '../../project/load-project.js';

/** A step that another tool makes. */
export interface ManualStep {
  readonly object: 'schema bundle' | 'logical view' | 'materialized view';
  readonly name: string;
  readonly consequence: string;
  /** The command of rowsmith that writes the files. */
  readonly generate: string;
  readonly command: string;
}

/** The steps for a live database; whether the objects exist is not known. */
export async function manualSteps(
  project: Project,
  url: string,
  folder: string,
): Promise<readonly ManualStep[]> {
  const [, projectId = '', instance = ''] = /^bigtable:\/\/([^/?#]*)\/([^/?#]+)/.exec(url) ?? [];
  const flags = [`--instance=${instance}`];
  if (projectId !== '') flags.unshift(`--project=${projectId}`);
  const at = (path: string): string => shellWord(relative(folder, join(project.output, path)));
  const gcloud = (...words: string[]): string => ['gcloud bigtable', ...words, ...flags].join(' ');
  const withMessages = project.models.filter((model) => messagesOf(model).length > 0);
  const bundles = [...new Set(withMessages.map(({ table }) => table.name))].map(
    (table): ManualStep => ({
      object: 'schema bundle',
      name: `messages of ${table}`,
      consequence: 'SQL reads the fields of messages; incompatible updates are rejected.',
      generate: 'rowsmith generate descriptors',
      command: gcloud(
        'schema-bundles create messages',
        `--table=${table}`,
        `--proto-descriptors-file=${at('descriptors.pb')}`,
      ),
    }),
  );
  const views = await filesOf('sql', project);
  const logical = views.map(({ path, id }): ManualStep => ({
    object: 'logical view',
    name: id,
    consequence: 'A query with a name; its text can be changed later.',
    generate: 'rowsmith generate sql',
    command: `${gcloud('logical-views create', shellWord(id))} --query="$(cat ${at(path)})"`,
  }));
  const materialized = (await filesOf('materialized-views', project)).map(
    ({ path, id }): ManualStep => ({
      object: 'materialized view',
      name: id,
      consequence: 'Bigtable keeps the rows of the view, which takes storage; its query is fixed.',
      generate: 'rowsmith generate materialized-views',
      command: `${gcloud('materialized-views create', shellWord(id))} --query="$(cat ${at(path)})"`,
    }),
  );
  return [...bundles, ...logical, ...materialized];
}

/** The SQL files of a generator; a file with only comments says why there is no view. */
async function filesOf(
  name: string,
  { models, url }: Project,
): Promise<readonly { readonly path: string; readonly id: string }[]> {
  const generator = generators.find((each) => each.name === name);
  const files = (await generator?.generate({ models, url })) ?? [];
  return files
    .filter(({ path, content }) => path.endsWith('.sql') && /^\s*SELECT\b/m.test(String(content)))
    .map(({ path }) => ({ path, id: path.replace(/^.*\//, '').replace(/\.sql$/, '') }));
}
