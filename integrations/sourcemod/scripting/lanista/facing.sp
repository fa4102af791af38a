// Where a bot looks and goes that is told one of the 14 actions: they have no turn of their own, so moving follows the
// way and hands turn to what they are for, as docs/mnemosyne.md says.

#define MOST_AREAS 128
#define WAY_TICKS 6
#define EDGE_UNITS 16.0
#define STEP_UNITS 18.0
#define JUMP_REACH_UNITS 52.0
#define CHEST_UNITS 40.0
#define LYING_UNITS 16.0

// Areas around a bot in the order they were found, and the index of the one each was found from.
static ArrayList s_Areas;
static ArrayList s_From;
static ArrayList s_Beside;

// What was found of the way, and when. No address of an area is kept: it means nothing after a change of map.
static bool s_WayKnown[SEATS];
static float s_WayYaw[SEATS];
static bool s_WayJumps[SEATS];
static int s_WayTick[SEATS];

void Facing_Start()
{
	s_Areas = new ArrayList();
	s_From = new ArrayList();
	s_Beside = new ArrayList();
	Facing_Forget();
}

// A new episode, or another bot: the way is looked for anew.
void Facing_Forget()
{
	for (int seat = 0; seat < SEATS; seat++)
	{
		s_WayTick[seat] = g_Tick - WAY_TICKS;
		s_WayKnown[seat] = false;
	}
}

float Facing_Wrapped(float degrees)
{
	while (degrees > 180.0)
	{
		degrees -= 360.0;
	}
	while (degrees < -180.0)
	{
		degrees += 360.0;
	}
	return degrees;
}

// Turns a view as an action says, and presses what the way needs. Without a target or a way it stays where it is.
void Facing_Turn(int seat, int client, int action, float view[3], int &buttons)
{
	switch (action)
	{
		case 1, 2, 3, 4:
		{
			if (KnowsWay(seat, client))
			{
				view[0] = 0.0;
				view[1] = s_WayYaw[seat];
				buttons |= action == 1 && s_WayJumps[seat] ? IN_JUMP : 0;
			}
		}
		case 5, 10, 13:
		{
			LookAt(client, States_Threat(client), CHEST_UNITS, view);
		}
		case 6:
		{
			LookAt(client, States_Fellow(client, true), LYING_UNITS, view);
		}
		case 12:
		{
			LookAt(client, States_Fellow(client, false), CHEST_UNITS, view);
		}
	}
}

// The cell that leads along the way from where a bot looks, 0 when the way is not known.
int Facing_CellOfWay(int seat, int client, float yaw)
{
	if (!KnowsWay(seat, client))
	{
		return 0;
	}
	// Cells go round to the right, angles to the left.
	int eighths = RoundToNearest(Facing_Wrapped(yaw - s_WayYaw[seat]) / 45.0);
	return (eighths + 8) % 8 + 1;
}

static void LookAt(int client, int target, float height, float view[3])
{
	if (target <= 0)
	{
		return;
	}
	float eyes[3], place[3], line[3];
	GetClientEyePosition(client, eyes);
	GetEntPropVector(target, Prop_Data, "m_vecAbsOrigin", place);
	place[2] += height;
	MakeVectorFromPoints(eyes, place, line);
	GetVectorAngles(line, view);
	// The native counts from 0 to 360.
	view[0] = Facing_Wrapped(view[0]);
	view[1] = Facing_Wrapped(view[1]);
	view[2] = 0.0;
}

// The way of a bot, looked for again after a while.
static bool KnowsWay(int seat, int client)
{
	if (g_Tick - s_WayTick[seat] >= WAY_TICKS)
	{
		s_WayTick[seat] = g_Tick;
		s_WayKnown[seat] = FindWay(seat, client);
	}
	return s_WayKnown[seat];
}

// The way leads over the areas that can be reached from here to the one with the most flow among them. That is as far
// as flow says: a side room that is longer than MOST_AREAS is taken for the way, and ladders are not known.
static bool FindWay(int seat, int client)
{
	Address here = view_as<Address>(L4D_GetLastKnownArea(client));
	if (here == Address_Null)
	{
		return false;
	}
	s_Areas.Clear();
	s_From.Clear();
	s_Areas.Push(here);
	s_From.Push(-1);
	int best = 0;
	float most = L4D2Direct_GetTerrorNavAreaFlow(here);
	if (!Ln_IsFinite(most))
	{
		most = -1.0;
	}
	for (int at = 0; at < s_Areas.Length && s_Areas.Length < MOST_AREAS; at++)
	{
		Address area = view_as<Address>(s_Areas.Get(at));
		s_Beside.Clear();
		for (int direction = 0; direction < 4; direction++)
		{
			L4D_NavArea_GetAdjacentAreas(area, direction, s_Beside);
		}
		for (int i = 0; i < s_Beside.Length; i++)
		{
			Address beside = view_as<Address>(s_Beside.Get(i));
			if (beside == Address_Null || s_Areas.FindValue(beside) >= 0)
			{
				continue;
			}
			int found = s_Areas.Push(beside);
			s_From.Push(at);
			float flow = L4D2Direct_GetTerrorNavAreaFlow(beside);
			if (Ln_IsFinite(flow) && flow > most)
			{
				most = flow;
				best = found;
			}
		}
	}
	// Back to the area that lies next to this one; this one itself where nothing leads on.
	int next = best;
	for (int from = s_From.Get(next); from > 0; from = s_From.Get(next))
	{
		next = from;
	}
	return LeadInto(seat, client, view_as<Address>(s_Areas.Get(next)));
}

// The way into an area: to its nearest point, a little inside of it, or to its middle where one is in it.
static bool LeadInto(int seat, int client, Address area)
{
	float feet[3], corner[3], size[3], to[3];
	GetClientAbsOrigin(client, feet);
	L4D_GetNavAreaPos(area, corner);
	L4D_GetNavAreaSize(area, size);
	for (int axis = 0; axis < 2; axis++)
	{
		float inside = size[axis] < 2.0 * EDGE_UNITS ? size[axis] / 2.0 : EDGE_UNITS;
		float low = corner[axis] + inside, high = corner[axis] + size[axis] - inside;
		to[axis] = feet[axis] < low ? low : (feet[axis] > high ? high : feet[axis]);
	}
	to[2] = feet[2];
	if (GetVectorDistance(feet, to) < 1.0)
	{
		L4D_GetNavAreaCenter(area, to);
		to[2] = feet[2];
		if (GetVectorDistance(feet, to) < 8.0)
		{
			return false;
		}
	}
	s_WayYaw[seat] = RadToDeg(ArcTangent2(to[1] - feet[1], to[0] - feet[0]));
	s_WayJumps[seat] = L4D_NavArea_GetZ(area, to) - feet[2] > STEP_UNITS
		&& GetVectorDistance(feet, to) < JUMP_REACH_UNITS;
	return true;
}
