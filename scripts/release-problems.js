/** What speaks against releasing this version, in sentences with the next step; none when all is well. */
export function releaseProblems({ version, repository, status, tags, changelog, signable }) {
  const entry = changelog
    .split(/^## /m)
    .find((part) => part.startsWith(`${version} `) || part.startsWith(`${version}\n`));
  return [
    [status !== '', 'Some files are not committed. Commit them, or see them with: git status'],
    [!/^\d+\.\d+\.\d+$/.test(version), `${version} is not a version to release. Set one with: npm version`],
    [!tags.includes(`v${version}`), `This commit has no tag v${version}. Make it with: git tag v${version}`],
    [entry === undefined, `CHANGELOG.md has no entry "## ${version}". Write what is new for those who use it.`],
    [
      entry !== undefined && !/^- /m.test(entry),
      `The entry ${version} of CHANGELOG.md says nothing. List what is new.`,
    ],
    [
      repository === undefined,
      'package.json names no repository, and provenance must lead there. Fill in all three with: npm pkg set repository=ADDRESS homepage=ADDRESS bugs.url=ADDRESS',
    ],
    [!signable, 'Provenance can only be signed by a build service. Run it there, with the permission id-token: write.'],
  ]
    .filter(([holds]) => holds)
    .map(([, sentence]) => sentence);
}
