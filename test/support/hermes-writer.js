// Stands in for a Hermes that has its database open: writes one row, says so, and stays until it is told otherwise or killed.
import Database from 'better-sqlite3';

const [, , path, mode] = process.argv;
const db = new Database(path);
db.prepare('INSERT INTO state_meta (key, value) VALUES (?, ?)').run(`writer-${process.pid}`, 'here');
if (mode === 'crash') process.kill(process.pid, 'SIGKILL');
process.stdout.write('ready\n');
process.stdin.on('end', () => db.close());
process.stdin.resume();
