/** `rowsmith heatmap --storage`: sizes of the sections of stored tables. */
import { bytesText, countText, type FaultTexts } from '../../../base/index.js';
import {
  KeyNames,
  storageSections,
  type StorageSection,
  tabletSkew,
} from '../../../tools/heat/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { type CommandContext, UsageError } from '../../command.js';
import type { Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { databaseUrl, openStored, storedTables } from '../database.js';
import { printFindings } from './findings.js';

const maxListed = 40;

interface TableSections {
  readonly table: string;
  readonly sections: readonly StorageSection[];
  readonly names: KeyNames;
}

/** Prints the sections of a table, or of all tables of the project. */
export async function reportStorage(
  project: Project | undefined,
  models: readonly EntityModel[],
  { url, table }: { readonly url: string | undefined; readonly table: string | undefined },
  { terminal, folder }: CommandContext,
): Promise<undefined> {
  const target = databaseUrl(project, url, folder);
  const engine = await openStored(target);
  try {
    const reports: TableSections[] = [];
    for (const each of chosen(await storedTables(engine, target), models, table)) {
      const sections = storageSections(await engine.sampleRowKeys(each));
      reports.push({ table: each, sections, names: new KeyNames(each, models) });
    }
    const findings = reports.flatMap((each) => tabletSkew(each.table, each.sections, each.names));
    terminal.printJson({ tables: reports.map(sectionsJson), findings });
    for (const each of reports) printSections(terminal, each);
    printFindings(findings, terminal);
  } finally {
    await engine.close();
  }
  return undefined;
}

function chosen(
  stored: readonly string[],
  models: readonly EntityModel[],
  table: string | undefined,
): readonly string[] {
  if (table !== undefined) {
    if (stored.includes(table)) return [table];
    throw new UsageError(faults.unknownTable(table, stored.join(', ')));
  }
  const declared = new Set(models.map((model) => model.table.name));
  return declared.size === 0 ? stored : stored.filter((name) => declared.has(name));
}

function sectionsJson({ table, sections, names }: TableSections): object {
  return { table, sections: sections.map(({ end, bytes }) => ({ end: names.text(end), bytes })) };
}

function printSections(terminal: Terminal, { table, sections, names }: TableSections): void {
  terminal.print(terminal.style.bold(`${table}: ${countText(sections.length, 'section')}`));
  const greatest = sections.reduce((most, { bytes }) => Math.max(most, bytes), 1);
  for (const { end, bytes } of sections.slice(0, maxListed)) {
    const bar = '█'.repeat(Math.max(1, Math.round((bytes / greatest) * 30)));
    const to = end.length === 0 ? 'the end' : names.text(end);
    const shade = terminal.style.shade(bar.padEnd(30), bytes / greatest);
    terminal.print(`${shade}  ${bytesText(bytes)} to ${to}`);
  }
  if (sections.length > maxListed) terminal.print(`and ${sections.length - maxListed} more`);
}

const faults = {
  unknownTable: (table: string, list: string) => ({
    problem: `there is no table '${table}'; the tables are ${list}`,
  }),
} satisfies FaultTexts;
