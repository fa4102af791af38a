// Lines of JSON: node lines.js [HOST:PORT]
const net = require("net");
const readline = require("readline");

const [host, port] = (process.argv[2] ?? "127.0.0.1:5600").split(":");
const socket = net.connect(Number(port), host).setNoDelay();
const waiting = [];
readline.createInterface({ input: socket }).on("line", (line) => waiting.shift()(JSON.parse(line)));

// Answers come in the order of the requests.
const ask = (request) =>
  new Promise((resolve, reject) => {
    waiting.push((reply) => (reply.error ? reject(new Error(reply.error)) : resolve(reply)));
    socket.write(JSON.stringify(request) + "\n");
  });

(async () => {
  const { models } = await ask({ describe: true });
  const { features } = await ask({ describe: true, model: models[0].name });
  const obs = features.map((_, i) => i * 0.1);
  const { action } = await ask({ model: models[0].name, obs });
  console.log("action", ...action);
  socket.end();
})();
