/** The door to the browser of this machine, for what stands above the layers that use it. */
export { openInBrowser as showInBrowser } from '../../platform/machine/open-in-browser.ts';
