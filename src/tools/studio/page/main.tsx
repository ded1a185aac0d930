/** The page of the studio. */
import { render } from 'preact';
import { Shell } from './shell/shell.js';
import { start } from './state/studio.js';

const root = document.getElementById('studio');
if (root === null) throw new Error('The page has no element for the studio.');
void start();
// The head that is shown until now.
root.replaceChildren();
render(<Shell />, root);
