// Lanista: survivor bots of Left 4 Dead 2 obey a trainer over Mnemosyne (docs/mnemosyne.md).
//
// SourceMod 1.12, left4dhooks 1.168, ProjectSky's socket extension. The parts: lanista/bots.sp turns actions into
// input, lanista/facing.sp turns those that have no turn of their own, lanista/states.sp reads the game, lanista/events.sp listens to it, lanista/resets.sp starts episodes anew,
// lanista/handshake.sp and lanista/sessions.sp speak v2, lanista/legacy.sp v1. All bytes are made in include/lanista_packing.inc.

#pragma semicolon 1
#pragma newdecls required

#include <sourcemod>
#include <sdktools>
#include <left4dhooks>
#include <socket>
#include <lanista_packing>

#define VERSION "0.1.0"
#define SEATS 8
#define TICKS_PER_SEC 30
#define HOLD_TICKS 15

public Plugin myinfo =
{
	name = "Lanista",
	author = "Lanista",
	description = "Survivor bots obey a trainer over Mnemosyne",
	version = VERSION,
	url = ""
};

enum Owner
{
	Owner_Game,
	Owner_V1,
	Owner_V2
}

// Counts up without end, whatever the map does.
int g_Tick;
int g_Episode = 1;
Socket g_Socket;

ConVar g_CvarPort;
ConVar g_CvarBind;
ConVar g_CvarKey;
ConVar g_CvarRate;
ConVar g_CvarV1;
ConVar g_CvarV1Layout;
ConVar g_CvarMaps;
ConVar g_CvarReset;

// What was dropped, by reason: counted, told once a minute.
enum Drop
{
	Drop_Malformed,
	Drop_Version,
	Drop_UnknownSession,
	Drop_OtherAddress,
	Drop_WrongKey,
	Drop_Replayed,
	Drop_OutOfPlace
}
int g_Dropped[Drop];
int g_DroppedTotal;
int g_DroppedTold;
float g_DroppedToldAt;

#include "lanista/bots.sp"
#include "lanista/facing.sp"
#include "lanista/events.sp"
#include "lanista/states.sp"
#include "lanista/resets.sp"
#include "lanista/sessions.sp"
#include "lanista/handshake.sp"
#include "lanista/legacy.sp"

public APLRes AskPluginLoad2(Handle myself, bool late, char[] error, int length)
{
	if (GetEngineVersion() != Engine_Left4Dead2)
	{
		strcopy(error, length, "Lanista is for Left 4 Dead 2 only");
		return APLRes_SilentFailure;
	}
	return APLRes_Success;
}

public void OnPluginStart()
{
	CreateConVar("lanista_version", VERSION, "Version of Lanista", FCVAR_NOTIFY | FCVAR_DONTRECORD);
	g_CvarPort = CreateConVar("lanista_port", "27050", "UDP port to listen on", _, true, 1.0, true, 65535.0);
	g_CvarBind = CreateConVar("lanista_bind", "127.0.0.1", "Address to listen on; 0.0.0.0 for all");
	g_CvarKey = CreateConVar("lanista_key", "", "Shared key of v2, 16 to 64 bytes; empty: no v2", FCVAR_PROTECTED);
	g_CvarRate = CreateConVar("lanista_rate", "10", "States a second", _, true, 1.0, true, 30.0);
	g_CvarV1 = CreateConVar("lanista_v1", "0", "Answer v1: 0 nobody, 1 loopback, 2 everybody", _, true, 0.0, true, 2.0);
	g_CvarV1Layout = CreateConVar("lanista_v1_layout", "0", "State of v1: 0 documented, 1 v1-legacy-69", _, true, 0.0,
		true, 1.0);
	g_CvarMaps = CreateConVar("lanista_maps", "1", "A client may change the map", _, true, 0.0, true, 1.0);
	g_CvarReset = CreateConVar("lanista_reset", "1", "A reset: 0 puts the team back, 1 restarts the round", _, true, 0.0,
		true, 1.0);
	AutoExecConfig(true, "lanista");
	g_CvarPort.AddChangeHook(OnAddressChanged);
	g_CvarBind.AddChangeHook(OnAddressChanged);
	g_CvarKey.AddChangeHook(OnKeyChanged);
	RegAdminCmd("sm_lanista", Command_Status, ADMFLAG_GENERIC, "Who plays, and what was dropped");
	Bots_Start();
	Events_Start();
}

public void OnConfigsExecuted()
{
	Handshake_SetKey();
	if (g_Socket == null)
	{
		Listen();
	}
}

public void OnPluginEnd()
{
	Sessions_CloseAll(1);
	delete g_Socket;
}

static void OnAddressChanged(ConVar convar, const char[] was, const char[] is)
{
	Sessions_CloseAll(1);
	delete g_Socket;
	Listen();
}

static void OnKeyChanged(ConVar convar, const char[] was, const char[] is)
{
	Sessions_CloseAll(1);
	Handshake_SetKey();
}

static void Listen()
{
	char address[64];
	g_CvarBind.GetString(address, sizeof(address));
	g_Socket = new Socket(SOCKET_UDP);
	// More than one datagram a frame, or four clients at 30 a second would queue up.
	g_Socket.SetOption(CallbacksPerFrame, 32);
	g_Socket.SetReceiveCallback(OnReceive);
	g_Socket.SetListenCallback(OnListen);
	g_Socket.SetErrorCallback(OnSocketError);
	if (!g_Socket.Bind(address, g_CvarPort.IntValue) || !g_Socket.Listen())
	{
		LogError("cannot listen on %s:%d: is the port taken, is the address this machine's?", address,
			g_CvarPort.IntValue);
	}
}

static void OnListen(Socket socket, const char[] ip, int port, any data)
{
	LogMessage("listening on %s:%d", ip, port);
}

static void OnSocketError(Socket socket, const int type, const char[] message, any data)
{
	LogError("socket error %d: %s", type, message);
}

static void OnReceive(Socket socket, const char[] buffer, const int size, const char[] ip, int port, any data)
{
	if (size < 1 || size > LN_DATAGRAM_BYTES)
	{
		Dropped(Drop_Malformed);
	}
	else if (buffer[0] == 'M')
	{
		Sessions_Receive(buffer, size, ip, port);
	}
	else if (Ln_U8(buffer, 0) >= 0x01 && Ln_U8(buffer, 0) <= 0x05)
	{
		Legacy_Receive(buffer, size, ip, port);
	}
	else
	{
		Dropped(Drop_Malformed);
	}
}

void SendDatagram(const char[] datagram, int size, const char[] ip, int port)
{
	if (g_Socket != null)
	{
		g_Socket.SendTo(datagram, size, ip, port);
	}
}

void Dropped(Drop reason)
{
	g_Dropped[reason]++;
	g_DroppedTotal++;
}

static void TellDropped()
{
	float now = GetEngineTime();
	if (g_DroppedTotal == g_DroppedTold || now - g_DroppedToldAt < 60.0)
	{
		return;
	}
	g_DroppedTold = g_DroppedTotal;
	g_DroppedToldAt = now;
	char line[256];
	DescribeDropped(line, sizeof(line));
	LogMessage("%s", line);
}

static void DescribeDropped(char[] line, int length)
{
	FormatEx(line, length,
		"dropped %d datagrams: %d with a wrong key, %d malformed, %d of another version, %d of no session, %d from another address, %d replayed, %d out of place",
		g_DroppedTotal, g_Dropped[Drop_WrongKey], g_Dropped[Drop_Malformed], g_Dropped[Drop_Version],
		g_Dropped[Drop_UnknownSession], g_Dropped[Drop_OtherAddress], g_Dropped[Drop_Replayed],
		g_Dropped[Drop_OutOfPlace]);
}

int TicksPerState()
{
	int ticks = TICKS_PER_SEC / g_CvarRate.IntValue;
	return ticks < 1 ? 1 : ticks;
}

public void OnGameFrame()
{
	g_Tick++;
	if (g_Tick % TICKS_PER_SEC == 0)
	{
		Bots_Seat();
		TellDropped();
	}
	Resets_Poll();
	Sessions_Poll();
	Legacy_Poll();
	if (g_Tick % TicksPerState() == 0 && (Sessions_Any() || Legacy_Any()))
	{
		States_Look();
		Sessions_SendStates();
		Legacy_SendStates();
	}
}

static Action Command_Status(int client, int args)
{
	char line[256];
	DescribeDropped(line, sizeof(line));
	ReplyToCommand(client, "[Lanista] tick %d, episode %d", g_Tick, g_Episode);
	ReplyToCommand(client, "[Lanista] %s", line);
	for (int seat = 0; seat < SEATS; seat++)
	{
		int bot = Bots_Client(seat);
		if (bot != 0)
		{
			ReplyToCommand(client, "[Lanista] seat %d: %N, obeys %s", seat, bot,
				g_Owner[seat] == Owner_V2 ? "a client of v2" : (g_Owner[seat] == Owner_V1 ? "a client of v1" : "the game"));
		}
	}
	return Plugin_Handled;
}
