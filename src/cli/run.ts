/** Finds the verb and tells its failures. */
import { RowsmithError } from '../errors.js';
import { serve } from './serve.js';
import { complain, errorText, exit, say, UsageFault, type Verb } from './verb.js';

const verbs: ReadonlyMap<string, Verb> = new Map([['serve', serve]]);

function help(): string {
  const list = [...verbs].map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`);
  return ['Usage: rowsmith VERB [options]', '', ...list, '', 'rowsmith VERB --help tells more.'].join('\n');
}

/** Runs the command line; resolves to the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    say(help());
    return name === undefined ? exit.usage : exit.ok;
  }
  const verb = verbs.get(name);
  if (verb === undefined) {
    complain(`there is no verb '${name}'\n${help()}`);
    return exit.usage;
  }
  try {
    if (rest.includes('--help') || rest.includes('-h')) {
      say(verb.help);
      return exit.ok;
    }
    return await verb.run(rest);
  } catch (error) {
    if (error instanceof UsageFault) {
      complain(`${error.message}\nrowsmith ${name} --help tells what it takes.`);
      return exit.usage;
    }
    complain(error instanceof RowsmithError ? errorText(error) : error instanceof Error ? error.stack ?? error.message : String(error));
    return exit.failed;
  }
}
