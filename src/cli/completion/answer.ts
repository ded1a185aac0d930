/**
 * The answer to a completion script: a line for each candidate, or what the shell is to complete.
 * Errors are silent: nobody wants a stack in the line that is being typed.
 */
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { findConfig } from '../project/find-config.js';
import { type Candidate, complete, type Completion, type LoadNames } from './candidates.js';
import { type EntityNames, readNames, writeNames } from './names.js';
import { shellLine } from './shell-words.js';

/** The hidden command that the scripts call: `rowsmith __complete SHELL WORD...`. */
export const completeRequest = '__complete';
/** The hidden command that keeps the names of a project: `rowsmith __names CONFIG`. */
export const namesRequest = '__names';

/** Milliseconds since the start of this process after which it answers without names. */
const answerAfterMs = 450;
/** Milliseconds after which a process that loads names gives up. */
const maxLoadMs = 30_000;
const pollMs = 10;

/** Words that every shell takes without quotes. */
const plainWord = /^[\p{L}\p{M}\p{N}_.,:=@%+/^-]+$/u;

/** Runs a hidden request and prints the answer. Resolves to false if the arguments are none. */
export async function answerRequest(args: readonly string[]): Promise<boolean> {
  const [request, first = '', ...rest] = args;
  if (request === completeRequest) {
    const answer = await completionAnswer(first, rest, process.cwd()).catch(() => '');
    if (answer !== '') process.stdout.write(answer);
    return true;
  }
  if (request !== namesRequest) return false;
  const startedAt = Date.now();
  setTimeout(() => process.exit(), maxLoadMs).unref();
  const { loadProject } = await import('../project/load-project.js');
  try {
    writeNames(await loadProject({ folder: dirname(first), config: first }), startedAt);
  } catch {
    // The commands report what is wrong with the project.
  }
  return true;
}

/** The lines for a shell. bash gives its line, zsh and fish their words after the command. */
async function completionAnswer(
  shell: string,
  words: readonly string[],
  folder: string,
): Promise<string> {
  const loadNames: LoadNames = (config) => projectNames(folder, config);
  if (shell !== 'bash')
    return answerText(await complete(words, loadNames), ({ word, about }) => {
      const text = about.replaceAll(/[\p{Cc}]/gu, ' ');
      return text === '' ? word : `${word}\t${text}`;
    });
  const { words: all, kept } = shellLine(words[0] ?? '');
  return answerText(await complete(all.slice(1), loadNames), ({ word }) => {
    const part = word.slice(kept.length);
    return word.endsWith('=') ? part : `${part} `;
  });
}

function answerText(completion: Completion, line: (candidate: Candidate) => string): string {
  if (typeof completion === 'string') return `:${completion}\n`;
  return completion
    .filter(({ word }) => plainWord.test(word))
    .map((candidate) => `${line(candidate)}\n`)
    .join('');
}

/** The names that another process loads in time, or else the kept ones. */
async function projectNames(
  folder: string,
  named: string | undefined,
): Promise<readonly EntityNames[]> {
  const config = findConfig(folder, named);
  const kept = readNames(config);
  if (kept?.fresh === true || !isOwn(config)) return kept?.entities ?? [];
  // A separate process: it may print, hang or fail, and is not lost if it takes too long.
  spawn(process.execPath, [process.argv[1], namesRequest, config], {
    detached: true,
    stdio: 'ignore',
  }).unref();
  while (performance.now() < answerAfterMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    const loaded = readNames(config);
    if (loaded?.fresh === true) return loaded.entities;
  }
  return kept?.entities ?? [];
}

/** A completion executes only a config of this user, which nobody else can change. */
function isOwn(config: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  return [config, dirname(config)].every((path) => {
    const { uid, mode } = statSync(path);
    return uid === user && (mode & 0o002) === 0;
  });
}
