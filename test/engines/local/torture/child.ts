/**
 * The programs of the torture scenarios that run in separate processes: node child.mjs NAME FILE,
 * with the options as JSON in the file.
 */
import { readFileSync } from 'node:fs';
import { checkDatabases } from './child-check.js';
import { openDatabases } from './child-open.js';
import { writeAndResume } from './child-resume.js';
import { soak } from './child-soak.js';
import { succeed } from './child-succeed.js';
import { runTrial } from './child-trial.js';
import { writeForever } from './child-write.js';

const programs: Record<string, (options: never) => Promise<void>> = {
  check: checkDatabases,
  open: openDatabases,
  resume: writeAndResume,
  soak,
  succeed,
  trial: runTrial,
  write: writeForever,
};
const [name, file] = process.argv.slice(2);
await programs[name](JSON.parse(readFileSync(file, 'utf8')) as never);
