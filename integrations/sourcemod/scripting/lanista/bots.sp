// Seats, and what their bots are told to do.

// A survivor bot keeps its seat as long as it is in the game.
static int s_Client[SEATS];
static int s_SeatOf[MAXPLAYERS + 1];

Owner g_Owner[SEATS];

// The newest action of a seat and the tick it was applied in.
static LnAction s_Held[SEATS];
static int s_HeldTick[SEATS];
static bool s_Acted[SEATS];
static bool s_TurnDue[SEATS];
// Where a bot looks is kept here: its own mind would turn it away between two actions.
static float s_View[SEATS][3];

#define WISH_SPEED 450.0
#define PITCH_MOST 89.0
#define WEAPON_PISTOL 1
#define WEAPON_MAGNUM 32
#define LEGACY_JUMP 9

void Bots_Start()
{
	for (int client = 0; client <= MAXPLAYERS; client++)
	{
		s_SeatOf[client] = -1;
	}
	Facing_Start();
}

bool Bots_IsSurvivorBot(int client)
{
	return client > 0 && client <= MaxClients && IsClientInGame(client) && IsFakeClient(client)
		&& GetClientTeam(client) == 2;
}

// The bot of a seat, 0 for none.
int Bots_Client(int seat)
{
	return Bots_IsSurvivorBot(s_Client[seat]) ? s_Client[seat] : 0;
}

// The seat of a bot, -1 for none.
int Bots_SeatOf(int client)
{
	return client > 0 && client <= MaxClients ? s_SeatOf[client] : -1;
}

// Gives new bots a seat and takes it from those who left.
void Bots_Seat()
{
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (s_Client[seat] != 0 && !Bots_IsSurvivorBot(s_Client[seat]))
		{
			s_SeatOf[s_Client[seat]] = -1;
			s_Client[seat] = 0;
		}
	}
	for (int client = 1; client <= MaxClients; client++)
	{
		if (!Bots_IsSurvivorBot(client) || s_SeatOf[client] >= 0)
		{
			continue;
		}
		for (int seat = 0; seat < SEATS; seat++)
		{
			if (s_Client[seat] == 0)
			{
				s_Client[seat] = client;
				s_SeatOf[client] = seat;
				s_Acted[seat] = false;
				GetClientEyeAngles(client, s_View[seat]);
				break;
			}
		}
	}
}

public void OnClientDisconnect(int client)
{
	int seat = s_SeatOf[client];
	if (seat >= 0)
	{
		s_Client[seat] = 0;
		s_SeatOf[client] = -1;
	}
}

// The seats with a bot that nobody has, a bit each.
int Bots_Free()
{
	int free = 0;
	for (int seat = 0; seat < SEATS; seat++)
	{
		if (Bots_Client(seat) != 0 && g_Owner[seat] == Owner_Game)
		{
			free |= 1 << seat;
		}
	}
	return free;
}

void Bots_Give(int seat, Owner owner)
{
	g_Owner[seat] = owner;
	s_Acted[seat] = false;
	int client = Bots_Client(seat);
	if (client != 0)
	{
		GetClientEyeAngles(client, s_View[seat]);
	}
}

// An action is applied: from the next command on, until the next one.
void Bots_Apply(int seat, LnAction action)
{
	s_Held[seat] = action;
	s_HeldTick[seat] = g_Tick;
	s_Acted[seat] = true;
	s_TurnDue[seat] = action.rich;
}

// A new episode: nothing of the old one is held.
void Bots_Forget()
{
	Facing_Forget();
	for (int seat = 0; seat < SEATS; seat++)
	{
		s_Acted[seat] = false;
		int client = Bots_Client(seat);
		if (client != 0)
		{
			GetClientEyeAngles(client, s_View[seat]);
		}
	}
}

static void Turn(int seat)
{
	if (!s_TurnDue[seat])
	{
		return;
	}
	s_TurnDue[seat] = false;
	float pitch = s_View[seat][0] + s_Held[seat].pitchDelta;
	s_View[seat][0] = pitch > PITCH_MOST ? PITCH_MOST : (pitch < -PITCH_MOST ? -PITCH_MOST : pitch);
	s_View[seat][1] = Facing_Wrapped(s_View[seat][1] + s_Held[seat].yawDelta);
	s_View[seat][2] = 0.0;
}

// Movement of the nine cells: forward and to the right.
static void Move(int cell, float vel[3])
{
	if (cell == 1 || cell == 2 || cell == 8)
	{
		vel[0] = WISH_SPEED;
	}
	else if (cell >= 4 && cell <= 6)
	{
		vel[0] = -WISH_SPEED;
	}
	if (cell >= 2 && cell <= 4)
	{
		vel[1] = WISH_SPEED;
	}
	else if (cell >= 6)
	{
		vel[1] = -WISH_SPEED;
	}
}

// The 14 actions as buttons, a cell and (0 for none) a slot from 1; where they look is facing.sp's business.
static void OfLegacy(int action, int &buttons, int &cell, int &slot)
{
	switch (action)
	{
		case 1: cell = 1;
		case 2: cell = 5;
		case 3: cell = 7;
		case 4: cell = 3;
		case 5: buttons = IN_ATTACK;
		case 6: buttons = IN_USE;
		case 7: buttons = IN_RELOAD;
		case 8: buttons = IN_DUCK;
		case 9: buttons = IN_JUMP;
		case 10: buttons = IN_ATTACK2;
		case 11:
		{
			slot = 4;
			buttons = IN_ATTACK;
		}
		case 12:
		{
			slot = 4;
			buttons = IN_ATTACK2;
		}
		case 13:
		{
			slot = 3;
			buttons = IN_ATTACK;
		}
	}
}

public Action OnPlayerRunCmd(int client, int &buttons, int &impulse, float vel[3], float angles[3], int &weapon,
	int &subtype, int &cmdnum, int &tickcount, int &seed, int mouse[2])
{
	int seat = s_SeatOf[client];
	if (seat < 0 || g_Owner[seat] == Owner_Game || !IsPlayerAlive(client))
	{
		return Plugin_Continue;
	}
	int pressed = 0, cell = 0, slot = 0;
	// v1 knows no end of holding but silence, which frees the bot.
	bool holds = s_Acted[seat] && (g_Owner[seat] == Owner_V1 || g_Tick - s_HeldTick[seat] <= HOLD_TICKS);
	if (holds && s_Held[seat].rich)
	{
		Turn(seat);
		pressed = s_Held[seat].buttons;
		cell = s_Held[seat].moveCell;
		slot = s_Held[seat].slot;
	}
	else if (holds)
	{
		int action = s_Held[seat].legacy;
		OfLegacy(action, pressed, cell, slot);
		Facing_Turn(seat, client, action, s_View[seat], pressed);
		if (action == LEGACY_JUMP)
		{
			cell = Facing_CellOfWay(seat, client, s_View[seat][1]);
		}
	}
	int active = GetEntPropEnt(client, Prop_Send, "m_hActiveWeapon");
	if (slot > 0)
	{
		int wanted = GetPlayerWeaponSlot(client, slot - 1);
		if (wanted > 0 && wanted != active)
		{
			weapon = wanted;
			// Buttons are for the weapon that was asked for, not for the one still in hand.
			pressed &= ~(IN_ATTACK | IN_ATTACK2);
		}
	}
	// A pistol fires once a press, and a jump takes one: what is held is pressed every other command.
	if (g_Tick % 2 == 0)
	{
		pressed &= ~IN_JUMP;
		if (active > 0 && IsSemiAutomatic(active))
		{
			pressed &= ~IN_ATTACK;
		}
	}
	vel[0] = 0.0;
	vel[1] = 0.0;
	vel[2] = 0.0;
	Move(cell, vel);
	buttons = pressed;
	if (vel[0] > 0.0)
	{
		buttons |= IN_FORWARD;
	}
	else if (vel[0] < 0.0)
	{
		buttons |= IN_BACK;
	}
	if (vel[1] > 0.0)
	{
		buttons |= IN_MOVERIGHT;
	}
	else if (vel[1] < 0.0)
	{
		buttons |= IN_MOVELEFT;
	}
	impulse = 0;
	angles[0] = s_View[seat][0];
	angles[1] = s_View[seat][1];
	angles[2] = 0.0;
	TeleportEntity(client, NULL_VECTOR, angles, NULL_VECTOR);
	return Plugin_Changed;
}

static bool IsSemiAutomatic(int weapon)
{
	int id = view_as<int>(L4D2_GetWeaponId(weapon));
	return id == WEAPON_PISTOL || id == WEAPON_MAGNUM;
}
