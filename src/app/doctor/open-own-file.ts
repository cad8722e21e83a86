/** The doors to files of a home, for what stands above the layers that use it. */
export { openRegular as openOwnFile } from '../../platform/files/open-regular.ts';
export { writeFileAtomic as writeOwnFile } from '../../platform/files/private-files.ts';
