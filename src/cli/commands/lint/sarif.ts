/**
 * Findings as SARIF 2.1.0, the format of code scanning services:
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
import { relative, sep } from 'node:path';
import {
  findingSubject,
  type LintFinding,
  type LintLevel,
  lintRules,
  type SuppressedFinding,
} from '../../../tools/lint/index.js';
import { version } from '../../version.js';
import type { Located } from './located.js';

const levels: Readonly<Record<LintLevel, string>> = {
  info: 'note',
  warning: 'warning',
  error: 'error',
};

/** The document. Files are relative to `folder`. */
export function sarifText(
  findings: readonly Located[],
  suppressed: readonly Located<SuppressedFinding>[],
  folder: string,
): string {
  const results = [
    ...findings.map((finding) => resultOf(finding, folder)),
    ...suppressed.map((finding) => ({
      ...resultOf(finding, folder),
      suppressions: [{ kind: 'inSource', justification: finding.ignored }],
    })),
  ];
  const driver = { name: 'rowsmith', version: version(), rules: lintRules.map(descriptorOf) };
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function descriptorOf({ id, title, reason, fix, source, level }: (typeof lintRules)[number]) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: reason },
    help: { text: fix },
    helpUri: source,
    defaultConfiguration: { level: levels[level] },
  };
}

function resultOf(finding: Located, folder: string): object {
  const { rule, level, problem, fix } = finding;
  return {
    ruleId: rule,
    ruleIndex: lintRules.findIndex(({ id }) => id === rule),
    level: levels[level],
    message: { text: `${findingSubject(finding)}: ${problem}. Fix: ${fix}` },
    locations: [locationOf(finding, folder)],
    // Stays the same while the lines of a file move.
    partialFingerprints: { 'rowsmith/v1': fingerprint(finding) },
  };
}

function fingerprint({ rule, entity, property = '', family = '' }: LintFinding): string {
  return [rule, entity, property, family].join('/');
}

function locationOf(finding: Located, folder: string): object {
  const logicalLocations = [
    { fullyQualifiedName: findingSubject(finding), kind: finding.property ? 'member' : 'type' },
  ];
  const [, file, line] = /^(.*):(\d+)$/.exec(finding.position ?? '') ?? [];
  if (file === undefined) return { logicalLocations };
  const uri = relative(folder, file).split(sep).map(encodeURIComponent).join('/');
  return {
    physicalLocation: { artifactLocation: { uri }, region: { startLine: Number(line) } },
    logicalLocations,
  };
}
