// Lines of JSON: java Lines.java FEATURES [HOST:PORT]. Java 17, no library.
import java.io.*;
import java.net.Socket;
import java.util.stream.*;

class Lines {
    public static void main(String[] args) throws IOException {
        int features = Integer.parseInt(args[0]);
        String[] at = (args.length > 1 ? args[1] : "127.0.0.1:5600").split(":");
        try (var socket = new Socket(at[0], Integer.parseInt(at[1]))) {
            socket.setTcpNoDelay(true);
            var out = new PrintWriter(socket.getOutputStream());
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            String obs = IntStream.range(0, features).mapToObj(i -> "" + i * 0.1).collect(Collectors.joining(","));
            out.print("{\"obs\":[" + obs + "]}\n");
            out.flush();
            String reply = in.readLine(); // {"action":[3,1],"version":1}
            if (reply.startsWith("{\"error\"")) throw new IOException(reply);
            String list = reply.substring(reply.indexOf('[') + 1, reply.indexOf(']'));
            System.out.println("action " + list.replace(",", " "));
        }
    }
}
